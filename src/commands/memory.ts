/** `/memory`: searches what is remembered, as whoever asks may read it; how the index stands; brings it up to date. */
import { UsageError } from "../base/errors.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { MemoryAnswer, MemoryReader, MemoryStatus } from "../contracts/memory.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toBlock, toCode, toLine } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";

type Deps = Pick<CommandDeps, "memory">;

const mostHits = 5;
const mostSkipped = 10;

export function buildMemoryCommand({ memory }: Deps): Command {
  const command: Command = {
    name: "memory",
    usage: "search <text> | status | index",
    summary: "search what is remembered, or see how the index stands",
    immediate: true,
    async run(call) {
      const [verb, rest] = splitFirst(call.args);
      const action = verb === "" ? "status" : pickChoice(command, verb, ["search", "status", "index"]);
      const { agentId } = call.session;
      if (action === "search") {
        if (rest === "") throw badArguments(command, "Say what is sought");
        return formatAnswer(await memory.search({ text: rest, maxResults: mostHits }, toReader(call)));
      }
      if (rest !== "") throw badArguments(command, `\`/memory ${action}\` takes nothing behind it`);
      if (action === "index") {
        if (!call.isAdmin) throw refuse();
        // Files may be many: the work is done beside the conversation.
        memory.noteChange(agentId);
        return "Reading what has changed. `/memory status` tells how far it is.";
      }
      return formatStatus(await memory.status(agentId), call.isAdmin);
    },
  };
  return command;
}

/** The owner's own session alone reads everything. */
function toReader({ session, turn }: CommandCall): MemoryReader {
  const { agentId } = session;
  return session.type === "main" ? { agentId, type: "owner" } : { agentId, type: "chat", channel: turn.route.channel };
}

const refuse = () =>
  new UsageError("MEMORY_NOT_ALLOWED", "Only an admin may have the memory indexed", {
    hint: "It is indexed by itself when something changes.",
  });

function formatAnswer({ hits, note }: MemoryAnswer): string {
  const remark = note === undefined ? [] : ["", `(${toLine(note, 300)})`];
  if (hits.length === 0) return ["Nothing was found.", ...remark].join("\n");
  const lines = hits.flatMap(({ citation, score, snippet }) => [
    `**${toCode(citation)}** ${score.toFixed(2)}`,
    toBlock(snippet, { maxChars: 400 }),
  ]);
  return [...lines, ...remark].join("\n");
}

/** Names of files are for admins: others may not know what there is. */
function formatStatus(status: MemoryStatus, isAdmin: boolean): string {
  const { files, chunks, embedded, embedder, dimensions, state, progress, indexBytes, skipped, note } = status;
  const vectors = embedder === undefined ? "none" : `${embedded} of ${chunks}, by ${toCode(embedder)}`;
  const megabytes = (indexBytes / 1024 / 1024).toFixed(1);
  return [
    `- memory: ${formatNumber(files, "file")}, ${formatNumber(chunks, "piece")}, ${megabytes} MB of index`,
    `- vectors: ${vectors}${dimensions === undefined ? "" : ` (${dimensions} dimensions)`}`,
    `- state: ${state}${progress ? `, ${progress.done} of ${progress.total}` : ""}`,
    ...(note === undefined ? [] : [`- note: ${toLine(note, 300)}`]),
    ...(isAdmin
      ? skipped.slice(0, mostSkipped).map(({ path, reason }) => `- left out: ${toCode(path)}: ${reason}`)
      : []),
    ...(skipped.length > 0 && !isAdmin ? [`- left out: ${formatNumber(skipped.length, "file")}`] : []),
  ].join("\n");
}
