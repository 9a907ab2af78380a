/** A session with a transcript of tens of megabytes, for benches/transcript.ts: written line by line, as mom would have. */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { createSystemClock } from "../src/base/clock.ts";
import type { EntryId } from "../src/contracts/ids.ts";
import type { ModelMessage } from "../src/contracts/model.ts";
import type { SessionEntry } from "../src/contracts/session.ts";
import type { TranscriptEntry, TranscriptHeader } from "../src/contracts/transcript.ts";
import { buildRoute } from "../src/sessions/index.ts";
import { buildLayout, openStore } from "../src/store/index.ts";
import { silentLog } from "../test/fakes/log.ts";
import { buildProse } from "./prose.ts";

/**
 * `compacted`: the latest compaction is near the end, as mom leaves a long session. `whole`: never compacted, as another
 * program may leave it. `branch`: likewise, and then somebody went back almost to the beginning and on from there.
 */
export type TranscriptShape = "compacted" | "whole" | "branch";

const channel = { adapter: "bench", channelId: "D1" };
const timestamp = "2026-01-02T03:04:05.000Z";
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Entries behind the compaction, and before it those that it keeps. */
const behindCompaction = 200;
const keptByCompaction = 100;
/** Entries of the new branch, and of the old path that it goes on from. */
const branchLength = 40;
const pathBeforeBranch = 400;

export async function writeLongTranscript(
  dataDir: string,
  shape: TranscriptShape,
  bytes: number,
): Promise<SessionEntry> {
  const layout = buildLayout(dataDir);
  const route = buildRoute("main", { type: "main" }, channel);
  const clock = createSystemClock();
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [route] });
  const session = await store.sessions.open(route);
  await store.close();
  const folder = layout.channelDir(channel);
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, "context.jsonl"), "w");
  try {
    let block = "";
    for (const line of listLines(session, shape, bytes)) {
      block += line;
      if (block.length < 1_000_000) continue;
      await file.write(block);
      block = "";
    }
    await file.write(block);
  } finally {
    await file.close();
  }
  return session;
}

function* listLines(session: SessionEntry, shape: TranscriptShape, bytes: number): Generator<string> {
  const { sessionId: id, sessionKey, type: sessionType, agentId } = session;
  const header: TranscriptHeader = {
    ...{ type: "session", version: 3, id, timestamp, cwd: "/bench" },
    ...{ sessionKey, sessionType, agentId },
  };
  let written = 0;
  const toLine = (value: object) => {
    const line = `${JSON.stringify(value)}\n`;
    written += line.length;
    return line;
  };
  yield toLine(header);
  let n = 0;
  for (; written < bytes; n++) yield toLine(buildEntry(n, n - 1));
  if (shape === "compacted") {
    const summary = buildProse(n, 3000);
    const firstKeptEntryId = toId(n - keptByCompaction);
    const compaction = { type: "compaction" as const, summary, firstKeptEntryId, tokensBefore: 100_000 };
    yield toLine({ id: toId(n), parentId: toId(n - 1), timestamp, ...compaction } satisfies TranscriptEntry);
    for (let end = n++ + behindCompaction; n <= end; n++) yield toLine(buildEntry(n, n - 1));
  } else if (shape === "branch") {
    for (let end = n + branchLength, parent = pathBeforeBranch - 1; n < end; parent = n++) {
      yield toLine(buildEntry(n, parent));
    }
  }
}

/** Spread over the numbers, as ids are that come by chance. */
const toId = (n: number) => ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0") as EntryId;

const buildEntry = (n: number, parent: number): TranscriptEntry => ({
  type: "message",
  id: toId(n),
  parentId: parent < 0 ? null : toId(parent),
  timestamp,
  message: buildMessage(n),
});

/** Question, call, result, answer, and again. */
function buildMessage(n: number): ModelMessage {
  const answer = { api: "openai-completions", provider: "lab", model: "bench", timestamp: n };
  const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
  const callOf = (at: number) => `call_${at - (at % 4)}`;
  switch (n % 4) {
    case 0:
      return { role: "user", content: buildProse(n, 200), timestamp: n };
    case 1: {
      const call = { type: "toolCall" as const, id: callOf(n), name: "read", arguments: { path: `notes/${n}.md` } };
      return { role: "assistant", content: [call], ...answer, usage, stopReason: "toolUse" };
    }
    case 2: {
      const content = [{ type: "text" as const, text: buildProse(n, 2500) }];
      return { role: "toolResult", toolCallId: callOf(n), toolName: "read", content, isError: false, timestamp: n };
    }
    default: {
      const content = [{ type: "text" as const, text: buildProse(n, 700) }];
      return { role: "assistant", content, ...answer, usage, stopReason: "stop" };
    }
  }
}
