/** What the owner's first message costs in tokens before a word is said: system prompt and tools, as they are sent. */
import type { Bench } from "../bench.ts";
import { summarise } from "../figure.ts";
import { runLoad } from "../run-load.ts";

interface SentRequest {
  messages: { role: string; content: unknown }[];
  tools?: unknown[];
}

export const promptBench: Bench = {
  name: "prompt",
  summary: "size of the first request to the model",
  async run(workshop) {
    await runLoad(await workshop.loadChild(), {
      dataDir: await workshop.createDataDir(workshop.model.url),
      warmUpTurns: 0,
      load: { type: "direct" },
      turnsPerSession: 1,
    });
    const body = await workshop.model.loadLastRequest();
    const { messages, tools = [] }: SentRequest = JSON.parse(body);
    const system = messages.filter(({ role }) => role === "system" || role === "developer");
    if (system.length === 0) throw new Error("the request has no system prompt");
    const systemBytes = system.reduce((sum, { content }) => sum + sizeOf(content), 0);
    const toolsBytes = sizeOf(tools);
    return [
      {
        name: "prompt of the first turn",
        unit: "kB",
        value: summarise([(systemBytes + toolsBytes) / 1000]),
        target: { atMost: 16 },
        note: `${systemBytes} bytes of system prompt, ${toolsBytes} bytes of ${tools.length} tools; the whole request has ${Buffer.byteLength(body)} bytes`,
      },
    ];
  },
};

const sizeOf = (value: unknown) => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
