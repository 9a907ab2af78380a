/** `mom memory`: what is remembered. Searches, shows lines, and keeps the index, also beside a running mom. */
import { Command, InvalidArgumentError, Option } from "commander";
import { openMemory } from "../../app/index.ts";
import { UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { Memory, MemoryAnswer, MemoryReader, MemoryStatus } from "../../contracts/memory.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { parseCount } from "../parse-count.ts";
import { note, printJson, printLines } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  agent: string;
  json?: true;
}

interface SearchOptions extends Options {
  limit: number;
  minScore?: number;
  mode?: MemoryAnswer["mode"];
  chat?: ChannelRef;
}

const agentOption = ["--agent <id>", "whose memory", "main"] as const;

export function buildMemoryCommand(io: CliIo): Command {
  const memory = new Command("memory").description("Searches what mom remembers, and keeps the index over it.");
  memory
    .command("search")
    .description("find lines by words and by meaning, as the owner unless --chat says otherwise")
    .argument("<text...>", "what is sought")
    .option("--limit <n>", "how many results", parseCount, 10)
    .option("--min-score <score>", "leave out what scores less, 0 to 1", parseScore)
    .addOption(new Option("--mode <mode>", "how to search (default: fused)").choices(["fused", "vector", "text"]))
    .option("--chat <chat>", "as somebody in this chat would: adapter/channelId", parseChat)
    .option(...agentOption)
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((words: string[], options: SearchOptions) => search(io, words.join(" "), options));
  memory
    .command("get")
    .description("print a memory file, or lines of it")
    .argument("<path>", "as search prints it; path#L10-L20 too")
    .option("--lines <range>", 'as "10-20"', parseLines)
    .option(...agentOption)
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((path: string, options: Options & { lines?: Lines }) => get(io, path, options));
  memory
    .command("status")
    .description("show how the index stands, and which files are left out")
    .option(...agentOption)
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => status(io, options));
  memory
    .command("index")
    .description("bring the index up to date, vectors too")
    .option("--force", "as if nothing had been indexed")
    .option(...agentOption)
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options & { force?: true }) => index(io, options));
  return memory;
}

const indexFirstMs = 15_000;

type Lines = { from: number; to: number };

function parseScore(text: string): number {
  const score = Number(text);
  if (text.trim() !== "" && score >= 0 && score <= 1) return score;
  throw new InvalidArgumentError("Expected a number from 0 to 1.");
}

function parseLines(text: string): Lines {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  const from = Number(match?.[1]);
  if (match) return { from, to: Number(match[2] ?? from) };
  throw new InvalidArgumentError("Expected lines as 10-20.");
}

async function withMemory(io: CliIo, { data, agent }: Options, use: (memory: Memory) => Promise<void>): Promise<void> {
  await withGuestStore(io, data, async ({ store, clock, dataDir }) => {
    const { config } = await loadValidConfig(io, dataDir, { create: false });
    checkAgent(agent, ["main", ...Object.keys(config.agents)]);
    if (!store) return note(io, "nothing is remembered yet: mom was never started there");
    const memory = openMemory({ dataDir, env: io.env, clock, log: createSilentLog(clock), store, config });
    await use(memory).finally(() => memory.close());
  });
}

function checkAgent(agent: string, agents: readonly string[]): void {
  if (agents.includes(agent)) return;
  const nearest = pickNearest(agent, agents);
  throw new UsageError("MEMORY_AGENT_UNKNOWN", `The config has no agent "${agent}".`, {
    hint: nearest === undefined ? `There is ${agents.join(", ")}.` : `Did you mean ${nearest}?`,
  });
}

function parseChat(text: string): ChannelRef {
  const match = /^([^/]+)\/(.+)$/s.exec(text);
  if (match) return { adapter: match[1] ?? "", channelId: match[2] ?? "" };
  throw new InvalidArgumentError("Expected a chat as adapter/channelId.");
}

const toReader = ({ agent, chat }: SearchOptions): MemoryReader =>
  chat === undefined ? { agentId: agent, type: "owner" } : { agentId: agent, type: "chat", channel: chat };

async function search(io: CliIo, text: string, options: SearchOptions): Promise<void> {
  const { limit, minScore, mode, json } = options;
  const query = { text, maxResults: limit, ...(minScore !== undefined && { minScore }), ...(mode && { mode }) };
  await withMemory(io, options, async (memory) => {
    // Vectors of what is new are made first, as far as that is quick; what takes longer is said in the answer.
    await memory.index(options.agent, { signal: AbortSignal.timeout(indexFirstMs) }).catch(() => undefined);
    const answer = await memory.search(query, toReader(options));
    if (json) return printJson(io, answer);
    if (answer.note !== undefined) note(io, answer.note);
    if (answer.hits.length === 0) return note(io, "nothing was found");
    const lines = answer.hits.flatMap(({ citation, score, snippet }) => [
      `${score.toFixed(3)}  ${citation}`,
      ...snippet.split("\n").map((line) => `       ${line}`),
    ]);
    printLines(io, lines);
  });
}

async function get(io: CliIo, path: string, options: Options & { lines?: Lines }): Promise<void> {
  await withMemory(io, options, async (memory) => {
    const found = await memory.get(path, options.lines, { agentId: options.agent, type: "owner" });
    if (options.json) return printJson(io, found);
    printLines(io, found.text.split("\n"));
    if (found.toLine < found.totalLines) note(io, `lines ${found.fromLine}-${found.toLine} of ${found.totalLines}`);
  });
}

async function status(io: CliIo, options: Options): Promise<void> {
  await withMemory(io, options, async (memory) => print(io, options, await memory.status(options.agent)));
}

async function index(io: CliIo, options: Options & { force?: true }): Promise<void> {
  await withMemory(io, options, async (memory) => {
    print(io, options, await memory.index(options.agent, { force: options.force === true }));
  });
}

function print(io: CliIo, { json }: Options, found: MemoryStatus): void {
  if (!json && found.note !== undefined) note(io, found.note);
  if (json) printJson(io, found);
  else printLines(io, formatStatus(found));
}

function formatStatus(found: MemoryStatus): string[] {
  const { agentId, files, chunks, embedded, embedder, dimensions, indexBytes, lastSyncAt, skipped } = found;
  const length = dimensions === undefined ? "" : `, ${dimensions} dimensions`;
  return [
    `agent     ${agentId}`,
    `files     ${files}`,
    `pieces    ${chunks}`,
    `vectors   ${embedder === undefined ? "none" : `${embedded} by ${embedder}${length}`}`,
    `index     ${(indexBytes / 1024 / 1024).toFixed(1)} MB`,
    `last look ${lastSyncAt === undefined ? "never" : new Date(lastSyncAt).toISOString()}`,
    ...skipped.map(({ path, reason }) => `left out  ${path}: ${reason}`),
  ];
}
