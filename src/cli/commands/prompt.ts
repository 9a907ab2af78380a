/** `mom prompt`: what the model is told before anybody says anything, part by part. Reads only, also beside a running mom. */
import { Command } from "commander";
import { formatPromptReport } from "../../agent/index.ts";
import { describeSession } from "../../app/index.ts";
import { StoreError } from "../../base/errors.ts";
import { formatCount } from "../../base/format-values.ts";
import type { SessionId, SessionKey } from "../../contracts/ids.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption } from "../data-dir.ts";
import { findSession } from "../find-session.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { printJson, printLines } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  session: string;
  sizes?: true;
  json?: true;
}

export function buildPromptCommand(io: CliIo): Command {
  const prompt = new Command("prompt").description("Shows what the model is told.");
  prompt
    .command("show")
    .description("print the system prompt of a session, with the size of each section")
    .option("--session <key>", "the conversation's key, as `mom sessions list` prints it", ownKey)
    .option("--sizes", "print the sizes only")
    .option("--json", "print JSON: model, contextWindow, sections, tools, messages, tokens")
    .option(...dataOption)
    .action((options: Options) => show(io, options));
  return prompt;
}

const ownKey = "agent:main:main" as SessionKey;

/** The owner's session before its first message. */
function buildOwnSession(nowMs: number): SessionEntry {
  const channel = { adapter: "terminal", channelId: "terminal" };
  return {
    sessionId: "" as SessionId,
    sessionKey: ownKey,
    type: "main",
    agentId: "main",
    createdAt: nowMs,
    updatedAt: nowMs,
    channel,
    lastChannel: channel,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    cost: 0,
  };
}

async function show(io: CliIo, options: Options): Promise<void> {
  await withGuestStore(io, options.data, async ({ store, clock, dataDir }) => {
    if (!store) {
      throw new StoreError("SESSION_UNKNOWN", "Mom was never started here, so there is no session to look at.", {
        hint: `Start her once: mom ${dataDir}`,
      });
    }
    const session =
      options.session === ownKey ? await store.sessions.get(ownKey) : await findSession(store, options.session);
    const { config } = await loadValidConfig(io, dataDir, { create: false });
    const log = createSilentLog(clock);
    const report = await describeSession(
      { dataDir, env: io.env, clock, log, store, config },
      session ?? buildOwnSession(clock.now()),
    );
    if (options.json) return printJson(io, report);
    const toolBytes = Buffer.byteLength(JSON.stringify(report.tools));
    const { system, tools, messages } = report.tokens;
    printLines(io, [
      `${options.session} with ${report.model}`,
      "",
      ...formatPromptReport(report.sections),
      "",
      `${report.tools.length} tools are declared beside it: ${toolBytes} bytes`,
      `about ${formatCount(system + tools + messages)} of ${formatCount(report.contextWindow)} tokens: ${formatCount(system)} prompt, ${formatCount(tools)} tools, ${formatCount(messages)} for ${report.messages} messages`,
    ]);
    if (options.sizes) return;
    printLines(io, ["", ...report.sections.flatMap(({ name, text }) => [`--- ${name} ---`, ...text.split("\n"), ""])]);
  });
}
