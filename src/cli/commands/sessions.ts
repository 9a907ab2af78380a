/** `mom sessions`: the conversations of a data directory, also beside a running mom. Reads only. */
import { Command } from "commander";
import { formatCost, formatCount } from "../../base/format-values.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Store } from "../../contracts/store.ts";
import { dataOption } from "../data-dir.ts";
import { findSession } from "../find-session.ts";
import { type Column, formatTable } from "../format-table.ts";
import { formatTranscript } from "../format-transcript.ts";
import { formatAge } from "../format-values.ts";
import type { CliIo } from "../io.ts";
import { readTranscript } from "../open-guest-store.ts";
import { parseCount } from "../parse-count.ts";
import { note, printJson } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  json?: true;
}

export function buildSessionsCommand(io: CliIo): Command {
  const sessions = new Command("sessions").description("Shows the conversations of a data directory.");
  sessions
    .command("list")
    .description("list all conversations, the last used first")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) =>
      withGuestStore(io, options.data, ({ store, clock }) => list(io, options, store, clock)),
    );
  sessions
    .command("show")
    .description("print what the model saw and said in one conversation")
    .argument("<key>", "the conversation's key, as `mom sessions list` prints it")
    .option("--limit <n>", "how many entries, counted from the end", parseCount, 50)
    .option("--json", "print the raw entries as JSON")
    .option(...dataOption)
    .action((key: string, options: Options & { limit: number }) =>
      withGuestStore(io, options.data, ({ store }) => show(io, options, store, key)),
    );
  return sessions;
}

async function list(io: CliIo, { json }: Options, store: Store | undefined, clock: Clock): Promise<void> {
  const sessions = (await store?.sessions.list()) ?? [];
  if (json) return printJson(io, sessions);
  if (sessions.length === 0) return note(io, "there are no conversations yet");
  io.stdout.write(`${formatTable(buildColumns(clock.now()), sessions).join("\n")}\n`);
}

const buildColumns = (nowMs: number): Column<SessionEntry>[] => [
  { title: "KEY", toText: ({ sessionKey }) => sessionKey },
  { title: "TYPE", toText: ({ type }) => type },
  { title: "MODEL", toText: ({ model }) => model ?? "-" },
  { title: "TOKENS", align: "right", toText: ({ totalTokens }) => formatCount(totalTokens) },
  { title: "COST", align: "right", toText: ({ cost }) => formatCost(cost) },
  { title: "LAST USED", toText: ({ updatedAt }) => formatAge(nowMs - updatedAt) },
];

async function show(
  io: CliIo,
  { json, limit }: Options & { limit: number },
  store: Store | undefined,
  key: string,
): Promise<void> {
  const session = await findSession(store, key);
  if (!store) return;
  const { entries, cut } = await readTranscript(store, session.sessionKey, limit);
  if (json) return printJson(io, entries);
  if (entries.length === 0) return note(io, "nothing has been said in this conversation yet");
  if (cut) note(io, `older entries are left out; --limit ${limit * 2} shows more`);
  io.stdout.write(`${formatTranscript(entries).join("\n").trimStart()}\n`);
}
