/**
 * `mom agent`: one turn from the command line, the reply on stdout. For scripts, and for trying something out. Beside a mom that
 * runs already the turn is hers; otherwise this process is a mom for the length of it.
 */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Command } from "commander";
import { type App, createApp } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { StoreError, UsageError } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import { neutralise } from "../../channels/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelAttachment, ChannelMessage } from "../../contracts/message.ts";
import type { Turn, TurnState } from "../../contracts/turn.ts";
import { createCliLog } from "../cli-log.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { findTurn } from "../find-turn.ts";
import { loadAttachAgent } from "../gateway/catalog.ts";
import { awaitGateway, buildInUse } from "../gateway/find-gateway.ts";
import type { CliIo } from "../io.ts";
import { createOneShotAdapter, type OneShotAdapter, type TurnRecord } from "../one-shot-adapter.ts";
import { note, printJson } from "../print.ts";
import { readTextOption } from "../read-text-option.ts";
import { runApp } from "../run-app.ts";
import { version } from "../version.ts";

interface Options {
  data?: string;
  message: string;
  attach: string[];
  session?: string;
  json?: true;
}

interface Letter {
  text: string;
  /** Absolute paths. */
  files: readonly string[];
}

const maxAttachmentBytes = 100 * 1024 * 1024;

export function buildAgentCommand(io: CliIo): Command {
  return new Command("agent")
    .description("Runs one turn and prints the reply; exits with 1 if the turn failed.")
    .requiredOption("--message <text>", "what to say to mom; - reads it from stdin")
    .option(
      "--attach <file>",
      "send a file along; may be given several times",
      (file, all: string[]) => [...all, file],
      [],
    )
    .option(
      "--session <name>",
      "a conversation of its own, with the rights of a direct chat (default: the owner's own)",
    )
    .option("--json", "print JSON: reply, turnId, sessionKey, state, model, usage, durationMs")
    .option(...dataOption)
    .action((options: Options) => runOneTurn(io, options));
}

async function runOneTurn(io: CliIo, options: Options): Promise<void> {
  const { session } = options;
  if (session?.trim() === "")
    throw new UsageError("SESSION_NAME_EMPTY", "--session needs a name.", {
      hint: "Leave it out for the owner's own session.",
    });
  const files = await findFiles(io, options.attach);
  const text = await readTextOption(io, options.message, { mayBeEmpty: files.length > 0 });
  const dataDir = pickDataDir(io, options.data);
  const clock = createSystemClock();
  const search = await awaitGateway(dataDir, clock);
  if (search.type === "closed") throw buildInUse(dataDir, search.holder);
  if (search.type === "nobody") return runAlone(io, options, { dataDir, clock, letter: { text, files } });
  const startedAt = clock.monotonic();
  const attachAgent = await loadAttachAgent();
  const letter = { text, files, ...(session !== undefined && { session }) };
  const outcome = await attachAgent({ io, clock, dataDir, gateway: search }, letter);
  const durationMs = Math.round(clock.monotonic() - startedAt);
  const code = printOutcome(io, options, {
    ...outcome,
    texts: outcome.reply === "" ? [] : [outcome.reply],
    durationMs,
  });
  io.exit(outcome.isInterrupted ? 1 : code);
}

interface Alone {
  dataDir: string;
  clock: Clock;
  letter: Letter;
}

async function runAlone(io: CliIo, options: Options, { dataDir, clock, letter }: Alone): Promise<void> {
  const { session } = options;
  const logging = createCliLog(io, clock, { dataDir, view: "warnings" });
  const username = io.env["USER"] || io.env["USERNAME"] || "you";
  const adapter = createOneShotAdapter({
    username,
    ...(session !== undefined && { session }),
    // Standard output is for the answer alone.
    onLetter: (letter) => void io.stderr.write(`${neutralise(letter)}\n`),
  });
  let isUnderWay = false;
  let isOver = false;
  const code = await runApp({
    io,
    clock,
    logging,
    start: () =>
      createApp({
        dataDir,
        version,
        env: io.env,
        clock,
        log: logging.log,
        adapters: [{ adapter, rules: adapter.rules }],
        onlyGiven: true,
      }),
    async work(app) {
      const startedAt = clock.monotonic();
      const message = await buildMessage(app, adapter, clock, letter);
      isUnderWay = true;
      const turn = await sayAndWait(app, adapter, message);
      isOver = true;
      noteEarlier(io, adapter, turn.id);
      const durationMs = Math.round(clock.monotonic() - startedAt);
      return printOutcome(io, options, { ...toOutcome(turn, adapter.recordOf(turn.id)), durationMs });
    },
    async onSignal() {
      // A turn that nobody waits for any more would otherwise go on at the next start.
      if (isUnderWay) await adapter.askStop();
      return isUnderWay;
    },
    close: () => undefined,
  });
  // A signal ends a run in order, but here nobody got an answer.
  io.exit(isOver && code !== "restart" ? code : 1);
}

async function findFiles(io: CliIo, given: readonly string[]): Promise<string[]> {
  return Promise.all(
    given.map(async (name) => {
      const path = resolve(io.cwd, name);
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile()) return path;
      throw new UsageError("ATTACHMENT_MISSING", `There is no file ${path} to attach.`, {
        hint: "Check the path; folders cannot be attached.",
      });
    }),
  );
}

async function buildMessage(
  app: App,
  { name, channelId, user }: OneShotAdapter,
  clock: Clock,
  { text, files }: Letter,
): Promise<ChannelMessage> {
  const attachments: ChannelAttachment[] = [];
  for (const path of files) {
    const file = { filename: basename(path), data: createReadStream(path), maxBytes: maxAttachmentBytes };
    attachments.push(await app.store.channels.saveAttachment({ adapter: name, channelId }, file));
  }
  return {
    id: `${clock.now().toString(36)}-${randomUUID()}`,
    channelId,
    timestamp: new Date(clock.now()).toISOString(),
    sender: { ...user, isBot: false },
    text,
    attachments,
    isMention: true,
  };
}

async function sayAndWait(app: App, adapter: OneShotAdapter, message: ChannelMessage): Promise<Turn> {
  await adapter.submit(message);
  const turn = await findTurn(app.store, message.id);
  if (!turn) throw lostTurn();
  await app.whenOver(turn.id);
  return (await app.store.turns.get(turn.id)) ?? turn;
}

const lostTurn = () =>
  new StoreError("TURN_MISSING", "The message started no turn.", {
    hint: "`mom logs tail` says why it was not taken.",
  });

/** What a turn came to, here or in the mom that runs already. */
interface Outcome extends TurnRecord {
  turnId: string;
  sessionKey: string;
  state: TurnState;
  error?: string;
  durationMs: number;
}

function toOutcome({ id, route, state, error }: Turn, record: TurnRecord): Omit<Outcome, "durationMs"> {
  return { ...record, turnId: id, sessionKey: route.sessionKey, state, ...(error !== undefined && { error }) };
}

function noteEarlier(io: CliIo, adapter: OneShotAdapter, turnId: TurnId): void {
  for (const { texts } of adapter.others(turnId)) {
    if (texts.length > 0) note(io, `an earlier message, cut off at the time, was answered now:\n${texts.join("\n")}`);
  }
}

function printOutcome(io: CliIo, { json }: Options, outcome: Outcome): number {
  const { texts, state, error } = outcome;
  const isDone = state === "done";
  if (json) printJson(io, toJson(outcome));
  else if (isDone) io.stdout.write(toText(outcome));
  else note(io, texts.join("\n") || `The turn was ${state}. ${error ?? ""}`.trimEnd());
  return isDone ? 0 : 1;
}

function toJson({ texts, files, turnId, sessionKey, state, error, model, usage, durationMs }: Outcome) {
  return {
    reply: texts.join("\n"),
    ...(files.length > 0 && { files }),
    turnId,
    sessionKey,
    state,
    ...(error !== undefined && error !== "" && { error }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    durationMs,
  };
}

function toText({ texts, files }: TurnRecord): string {
  const paths = files.map(({ filename, path }) => `${toPrintable(filename)}: ${toPrintable(path)}`);
  return [...texts.map(neutralise), ...paths].map((line) => `${line}\n`).join("");
}
