/** The parent's side of the crash matrix: bundles the child once, runs lives of it, and checks what they left behind. */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "../../scripts/bundle-options.ts";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";
import type { ChildOrders } from "./crash-child.ts";

/** One file starts in a fraction of the time that thousands of modules take. */
export async function bundleChild(): Promise<{ path: string; remove(): Promise<void> }> {
  // Inside the repository, so that what stays outside the bundle is found.
  const folder = await mkdtemp(fileURLToPath(new URL("../../node_modules/.crash-", import.meta.url)));
  const path = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./crash-child.ts", import.meta.url))],
    // As the product is: what a life does not need is not read.
    ...bundleOptions,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    entryNames: "child",
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface Life {
  /** Points passed so far, in order. */
  points: string[];
  /** Resolves when the process is gone, with the signal that ended it. */
  ended: Promise<NodeJS.Signals | null>;
  /** The turn of this message, and the receipts of its posts, are on disk. */
  settled(messageId: string): Promise<void>;
  /** SIGKILL from outside. */
  kill(): void;
  stop(): Promise<void>;
}

export function startLife(bundle: string, orders: ChildOrders): Life {
  const points: string[] = [];
  const ready = Promise.withResolvers<void>();
  const waiting = new Map<string, () => void>();
  const child: ChildProcess = fork(bundle, [JSON.stringify(orders)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.on("message", (message: { type: string; point?: string; id?: string }) => {
    if (message.type === "passed" && message.point) points.push(message.point);
    if (message.type === "ready") ready.resolve();
    if (message.type === "settled") waiting.get(message.id ?? "")?.();
  });
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  return {
    points,
    ended,
    async settled(messageId) {
      const told = new Promise<void>((resolve) => waiting.set(messageId, resolve));
      if (child.connected) child.send({ type: "settle", id: messageId });
      await Promise.race([told, ended]);
    },
    kill: () => void child.kill("SIGKILL"),
    async stop() {
      // Before that nobody hears it.
      await Promise.race([ready.promise, ended]);
      if (child.connected) child.send("stop");
      await ended;
    },
  };
}

export async function createDataDir(config: object): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "mom-crash-"));
  await writeFile(join(dataDir, "config.json"), JSON.stringify({ sandbox: { mode: "host" }, ...config }));
  return dataDir;
}

/** A chat's folder, as the store names it. */
export interface ChatFolder {
  dataDir: string;
  adapter: string;
  channelId: string;
}

/** After the last life: database, log and transcript tell the same story, and nothing is left half done. */
export async function assertConsistent(
  { dataDir, adapter, channelId }: ChatFolder,
  sent: readonly { id: string; text: string }[],
): Promise<void> {
  assertDatabase(dataDir, sent);
  const folder = join(dataDir, "workspace/channels", adapter, channelId);
  const log = await readLines(join(folder, "log.jsonl"));
  for (const { id } of sent) {
    assert.equal(log.filter((line) => line["id"] === id).length, 1, `log.jsonl has ${id} once`);
  }
  const replies = log.filter((line) => (line["sender"] as { id: string }).id === "bot");
  assert.equal(replies.length, sent.length, "log.jsonl has one reply per message");
  const entries = (await readLines(join(folder, "context.jsonl"))) as unknown as TranscriptEntry[];
  assertTranscript(entries.slice(1), sent);
}

function assertDatabase(dataDir: string, sent: readonly { id: string }[]): void {
  const db = new DatabaseSync(join(dataDir, "state/mom.db"), { readOnly: true });
  try {
    const turns = db.prepare("SELECT i.message_id AS id, t.state FROM turns t JOIN inbox i ON i.seq = t.seq").all();
    assert.deepEqual(
      turns.map(({ id, state }) => [id, state]),
      sent.map(({ id }) => [id, "done"]),
      "every message has one turn, and it is done",
    );
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
    assert.equal(count("outbox WHERE state = 'sent'"), sent.length, "one delivery per message, with its receipt");
    assert.equal(count("outbox"), sent.length);
    assert.equal(count("steps"), 0, "no step is left over");
    assert.equal(count("log_lines"), 0, "no log line is left over");
    assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  } finally {
    db.close();
  }
}

function assertTranscript(entries: readonly TranscriptEntry[], sent: readonly { text: string }[]): void {
  let parent: string | null = null;
  for (const entry of entries) {
    assert.equal(entry.parentId, parent, "entries form one chain");
    parent = entry.id;
  }
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  for (const { text } of sent) {
    const said = messages.filter(
      ({ role, content }) => role === "user" && String(content).endsWith(`)\n[ann]: ${text}`),
    );
    assert.equal(said.length, 1, `the transcript has "${text}" once`);
  }
  const calls = messages.flatMap((m) => (m.role === "assistant" ? m.content.filter((b) => b.type === "toolCall") : []));
  const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  assert.deepEqual(results.toSorted(), calls.map((call) => call.id).toSorted(), "every call has one result");
  const answers = messages.filter(
    (m) => m.role === "assistant" && m.content.every((block) => block.type !== "toolCall"),
  );
  assert.equal(answers.length, sent.length, "one answer per message");
}

async function readLines(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8");
  assert.ok(text.endsWith("\n"), `${path} ends with a whole line`);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
