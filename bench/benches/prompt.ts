/** What comes before a word is said: the size of prompt and tools in the first request, and what building the prompt takes. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PromptFacts } from "../../src/agent/prompt/prompt-facts.ts";
import { buildSystemPrompt, joinSections } from "../../src/agent/prompt/system-prompt.ts";
import type { ToolDeclaration } from "../../src/contracts/model.ts";
import type { Bench } from "../bench.ts";
import { type Figure, summarise } from "../figure.ts";
import { buildHeavyFacts, buildTypicalFacts } from "../prompt-scenes.ts";
import { runLoad } from "../run-load.ts";

interface SentRequest {
  messages: { role: string; content: unknown }[];
  tools?: { function: ToolDeclaration }[];
}

/** The first ones run uncompiled code. */
const skippedBuilds = 100;

export const promptBench: Bench = {
  name: "prompt",
  summary: "the prompt: its size in the first request, and building it",
  async run(workshop) {
    const dataDir = await workshop.createDataDir(workshop.model.url);
    await writeCustomTool(join(dataDir, "tools", "tea"));
    await runLoad(workshop, {
      dataDir,
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
    const declarations = tools.map((tool) => tool.function);
    if (!declarations.some(({ name }) => name === "invoke_tool")) throw new Error("not every tool was offered");
    const builds = workshop.times(400, 100);
    return [
      {
        name: "prompt of the first turn",
        unit: "kB",
        value: summarise([(systemBytes + toolsBytes) / 1000]),
        target: { atMost: 16 },
        note: `${systemBytes} bytes of system prompt, ${toolsBytes} bytes of ${tools.length} tools; the whole request has ${Buffer.byteLength(body)} bytes`,
      },
      { ...measureBuild("building the prompt", buildTypicalFacts(declarations), builds), target: { atMost: 1 } },
      measureBuild("building a heavy prompt", buildHeavyFacts(declarations), builds),
    ];
  },
};

/** Without one there is no `invoke_tool`. */
async function writeCustomTool(folder: string): Promise<void> {
  const tool = `{
    name: "tea",
    description: "Make tea",
    parameters: { type: "object", properties: { cups: { type: "number" } } },
    execute: async () => ({ content: [{ type: "text", text: "made" }] }),
  }`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.mjs"), `export default ${tool};\n`);
}

function measureBuild(name: string, facts: PromptFacts, builds: number): Figure {
  let bytes = 0;
  const samplesMs: number[] = [];
  for (let n = 0; n < skippedBuilds + builds; n++) {
    const start = performance.now();
    const prompt = joinSections(buildSystemPrompt(facts));
    samplesMs.push(performance.now() - start);
    bytes = Buffer.byteLength(prompt);
  }
  const value = summarise(samplesMs.slice(skippedBuilds));
  return { name, unit: "ms", value, note: `${bytes} bytes` };
}

const sizeOf = (value: unknown) => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
