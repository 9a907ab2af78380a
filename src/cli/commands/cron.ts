/**
 * `mom cron`: jobs and reminders, from the terminal. Works on the store, with and without a running mom, who hears of every
 * change within a moment. Who can run this owns the data, so every job can be seen and changed here.
 */

import { Command } from "commander";
import { withWebchat } from "../../app/index.ts";
import { createJobBook, type JobBook, listTimes } from "../../automation/index.ts";
import { StoreError, UsageError } from "../../base/errors.ts";
import { formatMoment } from "../../base/format-values.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { CronJob, CronPatch, NewCronJob } from "../../contracts/cron.ts";
import type { Store } from "../../contracts/store.ts";
import { buildWork, hasWorkOptions, nameFrom, type WorkOptions } from "../cron/build-work.ts";
import { formatJobs, formatPlan, formatRuns, textOf } from "../cron/format-jobs.ts";
import { ensureMayPost, parseChat, pickHome } from "../cron/pick-home.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { findAdapter } from "../find-adapter.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { openModels } from "../open-models.ts";
import { parseCount } from "../parse-count.ts";
import { note, printJson, printLines } from "../print.ts";
import { createPrompter } from "../prompter.ts";
import { readTextOption } from "../read-text-option.ts";
import { type GuestUse, withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  json?: true;
}
type KeepOptions = Options & WorkOptions & { yes?: true };
type AddOptions = KeepOptions & { chat?: string; as?: string; agent?: string; later?: true; off?: true };
type EditOptions = KeepOptions & { when?: string; text?: string };
type CountOptions = Options & { count: number };

const farMs = 10 * 366 * 24 * 3600 * 1000;
const mostTimes = 1000;
const idArgument = ["<job>", "its id, or its name"] as const;

export function buildCronCommand(io: CliIo): Command {
  const cron = new Command("cron").description("Jobs and reminders: what mom does on her own, and when.");
  const add = (name: string, description: string) =>
    cron
      .command(name)
      .description(description)
      .option("--json", "print JSON")
      .option(...dataOption);
  add("list", "list the jobs, soonest first; also those that are switched off")
    .option("--chat <adapter/channel>", "only those of this chat")
    .action((options: Options & { chat?: string }) => list(io, options));
  addWorkOptions(add("add", "add a job; shows what it understood and asks before it is kept"))
    .argument("<when>", '"every weekday 9:00", "in 2 hours", "tomorrow at 9", "0 9 * * 1-5" …')
    .argument("<text>", "what mom is to do or say; - reads it from stdin")
    .option("--chat <adapter/channel>", "where it is at home (default: where the owner last talked to mom)")
    .option("--as <sender-id>", "whose rights it has (default: the first admin of that adapter)")
    .option("--agent <name>", "who does it (default: who answers in that chat)")
    .option("--later", "starts no turn: mom reads it with what is said there next")
    .option("--off", "switched off until `mom cron enable`")
    .action((when: string, text: string, options: AddOptions) => addJob(io, options, when, text));
  addWorkOptions(add("edit", "change a job; shows what it understood and asks before it is kept"))
    .argument(...idArgument)
    .option("--when <words>", "another time")
    .option("--text <text>", "other work")
    .action((job: string, options: EditOptions) => edit(io, options, job));
  add("remove", "take a job away; what it has done stays on record")
    .argument(...idArgument)
    .action((job: string, options: Options) => remove(io, options, job));
  add("run", "run a job now, beside its schedule")
    .argument(...idArgument)
    .action((job: string, options: Options) => run(io, options, job));
  add("runs", "show what came of its due times, newest first; also of a job that is gone, by its id")
    .argument(...idArgument)
    .option("--count <n>", "how many", parseCount, 20)
    .action((job: string, options: CountOptions) => runs(io, options, job));
  add("next", "show when a job is due next; without one, the soonest of all")
    .argument("[job]", "its id, or its name")
    .option("--count <n>", "how many times", parseCount, 10)
    .action((job: string | undefined, options: CountOptions) => next(io, options, job));
  add("enable", "switch a job on")
    .argument(...idArgument)
    .action((job: string, options: Options) => toggle(io, options, job, true));
  add("disable", "switch a job off")
    .argument(...idArgument)
    .action((job: string, options: Options) => toggle(io, options, job, false));
  add("status", "say whether jobs run, how many there are, and when the next is due").action((options: Options) =>
    status(io, options),
  );
  return cron;
}

const addWorkOptions = (command: Command): Command =>
  command
    .option("--name <name>", "what it is called (default: how its text begins)")
    .option("--tz <zone>", "time zone of the words, as Europe/Vienna (default: this machine's)")
    .option("--isolated", "a turn of its own, apart from the chat")
    .option("--no-isolated", "said in the chat")
    .option("--deliver", "its answer is posted (with --isolated)")
    .option("--no-deliver", "the chat is only told the beginning of its answer")
    .option("--to <adapter/channel>", "where to; `last` for where the session last spoke (default: its own chat)")
    .option("--model <name>", "the model of its own turn")
    .option("--thinking <level>", "off, low, medium or high")
    .option("--timeout <seconds>", "how long its own turn may take", parseCount)
    .option("--yes", "keep it without a question");

interface Opened extends GuestUse {
  store: Store;
  book: JobBook;
}

/** For commands that need jobs: there must be a store. */
async function withBook(
  io: CliIo,
  { data }: Options,
  use: (opened: Opened) => Promise<void>,
  agentIds: readonly string[] = [],
): Promise<void> {
  await withGuestStore(io, data, async (guest) => {
    const { store, dataDir } = guest;
    if (!store) {
      throw new StoreError(
        "STORE_MISSING",
        `Mom was never started in ${dataDir}, so there is nothing to keep jobs in.`,
        {
          hint: "Start her there once.",
        },
      );
    }
    await use({ ...guest, store, book: openBook(io, data, { ...guest, store }, agentIds) });
  });
}

function openBook(
  io: CliIo,
  data: string | undefined,
  { store: { due, turns }, clock }: Pick<Opened, "store" | "clock">,
  agentIds: readonly string[],
): JobBook {
  return createJobBook({
    due,
    turns,
    clock,
    agentIds: () => agentIds,
    models: {
      async isKnown(name) {
        const { models } = await openModels(io, data);
        return (await models.resolve(name)).type === "model";
      },
    },
    // A running mom looks at the clock when another process has written.
    onChange: () => undefined,
  });
}

/** By its id, or by a name that only one has. */
async function findJob(book: JobBook, given: string): Promise<CronJob> {
  const byId = await book.get(given.toLowerCase());
  if (byId) return byId;
  const jobs = await book.list({ includeDisabled: true });
  const named = jobs.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  const [only, ...others] = named;
  if (only && others.length === 0) return only;
  const near = pickNearest(
    given,
    jobs.flatMap(({ id, name }) => [id, name]),
  );
  const several = `Use its id: ${named.map(({ id }) => id).join(" or ")}.`;
  throw new StoreError(
    "CRON_NOT_FOUND",
    named.length > 1 ? `${named.length} jobs are called "${given}".` : `There is no job "${given}".`,
    {
      hint: named.length > 1 ? several : near === undefined ? "`mom cron list` shows them." : `Did you mean "${near}"?`,
    },
  );
}

/** `lines`: what would be kept. Without a terminal nobody could say yes. */
async function confirm(io: CliIo, { yes }: KeepOptions, lines: readonly string[]): Promise<void> {
  for (const line of lines) note(io, line);
  if (yes) return;
  if (io.stdin.isTTY === true) {
    const prompter = createPrompter(io);
    try {
      if (/^\s*y(?:es)?\s*$/i.test(await prompter.ask("Keep it? [y/N]"))) return;
    } finally {
      prompter.close();
    }
  }
  throw new UsageError("CRON_NOT_CONFIRMED", "Nothing is kept: nobody said yes.", {
    hint: "Read above what was understood; --yes keeps it without a question.",
  });
}

function noteRunning(io: CliIo, { dataDir }: Pick<GuestUse, "dataDir">): void {
  if (readHolderNow(dataDir) === undefined) note(io, "no mom is running there, so it counts from the next start on");
}

async function list(io: CliIo, { data, json, chat }: Options & { chat?: string }): Promise<void> {
  await withGuestStore(io, data, async ({ store, clock }) => {
    const book = store && openBook(io, data, { store, clock }, []);
    const filter = { includeDisabled: true, ...(chat !== undefined && { channel: parseChat(chat) }) };
    const jobs = (await book?.list(filter)) ?? [];
    if (json) return printJson(io, jobs);
    if (!book || jobs.length === 0) {
      return note(io, 'there are no jobs; `mom cron add "every weekday 9:00" "…"` makes one');
    }
    printLines(io, formatJobs(jobs, book.describe));
  });
}

async function addJob(io: CliIo, options: AddOptions, when: string, given: string): Promise<void> {
  const text = await readTextOption(io, given);
  const { config } = await loadValidConfig(io, await findDataDir(io, options.data), { create: false });
  const add = async ({ book, store, clock, dataDir }: Opened) => {
    const schedule = book.parseWhen(when, options.tz);
    const { agent, later, off } = options;
    const job: NewCronJob & Pick<CronJob, "wakeMode"> = {
      name: options.name ?? nameFrom(text),
      schedule,
      payload: buildWork(text, options),
      home: await pickHome(store, config, options),
      wakeMode: later ? "next-heartbeat" : "now",
      ...(agent !== undefined && { agentId: agent }),
      ...(off && { enabled: false }),
    };
    if (options.to !== undefined && options.to !== "last") {
      findAdapter({ adapters: withWebchat(config) }, parseChat(options.to).adapter);
    }
    await book.check(job);
    await ensureMayPost(store, job.home, job.payload);
    await confirm(io, options, formatPlan(job, book.describe({ schedule, createdAtMs: clock.now() })));
    const added = await book.add(job);
    if (options.json) return printJson(io, added);
    printLines(io, [`${added.id} is kept`]);
    noteRunning(io, { dataDir });
  };
  await withBook(io, options, add, ["main", ...Object.keys(config.agents)]);
}

async function edit(io: CliIo, options: EditOptions, given: string): Promise<void> {
  await withBook(io, options, async ({ book, store, dataDir }) => {
    const job = await findJob(book, given);
    const text = options.text === undefined ? undefined : await readTextOption(io, options.text);
    const patch: CronPatch = {
      ...(options.name !== undefined && { name: options.name }),
      ...(options.when !== undefined && { schedule: book.parseWhen(options.when, options.tz) }),
      ...((text !== undefined || hasWorkOptions(options)) && {
        payload: buildWork(text ?? textOf(job), options, job.payload),
      }),
    };
    if (Object.keys(patch).length === 0) {
      throw new UsageError("BAD_USAGE", "Nothing is to be changed.", {
        hint: "Give --when, --text, --name or one of the others; see `mom cron edit --help`.",
      });
    }
    const changed = { ...job, ...patch };
    await ensureMayPost(store, job.home, changed.payload);
    await confirm(io, options, formatPlan(changed, book.describe(changed)));
    const kept = await book.update(job.id, patch);
    if (options.json) return printJson(io, kept);
    printLines(io, [`${kept.id} is changed`]);
    noteRunning(io, { dataDir });
  });
}

async function remove(io: CliIo, options: Options, given: string): Promise<void> {
  await withBook(io, options, async ({ book }) => {
    const { id, name } = await findJob(book, given);
    await book.remove(id);
    if (options.json) return printJson(io, { removed: id });
    printLines(io, [`${id} (${name}) is gone; \`mom cron runs ${id}\` still shows what it has done`]);
  });
}

async function run(io: CliIo, options: Options, given: string): Promise<void> {
  await withBook(io, options, async ({ book, dataDir }) => {
    const { id } = await findJob(book, given);
    const job = await book.askRun(id);
    const isRunning = readHolderNow(dataDir) !== undefined;
    if (options.json) return printJson(io, { id, askedAtMs: job.state.runAskedAtMs, running: isRunning });
    const who = isRunning ? "the running mom starts it now" : "no mom is running there, so it runs at the next start";
    printLines(io, [`${id}: ${who}; \`mom cron runs ${id}\` shows what comes of it`]);
  });
}

async function runs(io: CliIo, options: CountOptions, given: string): Promise<void> {
  await withBook(io, options, async ({ book }) => {
    // A job that is gone has its ledger still.
    const known = await book.runs(given.toLowerCase(), options.count);
    const found = known.length > 0 ? known : await book.runs((await findJob(book, given)).id, options.count);
    if (options.json) return printJson(io, found);
    if (found.length === 0) return note(io, "it has had no due time yet");
    printLines(io, formatRuns(found));
  });
}

async function next(io: CliIo, options: CountOptions, given: string | undefined): Promise<void> {
  await withBook(io, options, async ({ book, clock }) => {
    const nowMs = clock.now();
    const count = Math.min(options.count, mostTimes);
    const jobs = given === undefined ? await book.list() : [await findJob(book, given)];
    const times = jobs
      .filter(({ enabled }) => enabled)
      .flatMap(({ id, name, schedule, createdAtMs }) =>
        listTimes(schedule, nowMs, nowMs + farMs, count, createdAtMs).map((dueAtMs) => ({ dueAtMs, id, name })),
      )
      .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
      .slice(0, count);
    if (options.json) return printJson(io, times);
    if (times.length === 0) return note(io, "nothing is due any more");
    printLines(
      io,
      times.map(({ dueAtMs, id, name }) => `${formatMoment(dueAtMs)}  ${id}  ${name}`),
    );
  });
}

async function toggle(io: CliIo, options: Options, given: string, enabled: boolean): Promise<void> {
  await withBook(io, options, async ({ book, dataDir }) => {
    const { id } = await findJob(book, given);
    const job = await book.update(id, { enabled });
    if (options.json) return printJson(io, job);
    printLines(io, [enabled ? `${id} is switched on: ${book.describe(job)}` : `${id} is switched off`]);
    noteRunning(io, { dataDir });
  });
}

async function status(io: CliIo, { data, json }: Options): Promise<void> {
  const dataDir = await findDataDir(io, data);
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  await withGuestStore(io, data, async ({ store, clock }) => {
    const counts = store ? await openBook(io, data, { store, clock }, []).counts() : { jobs: 0 };
    const found = { enabled: config.cron.enabled, running: readHolderNow(dataDir) !== undefined, ...counts };
    if (json) return printJson(io, found);
    printLines(io, [
      `jobs:     ${found.jobs}`,
      `next:     ${found.nextRunAtMs === undefined ? "-" : formatMoment(found.nextRunAtMs)}`,
      `switched: ${found.enabled ? "on" : "off (cron.enabled in the config)"}`,
      `mom:      ${found.running ? "running" : "not running, so nothing happens until she is started"}`,
    ]);
  });
}
