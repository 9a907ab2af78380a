/** `mom agent`: one turn from the command line, the reply on stdout. For scripts, and for trying something out. */
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
import type { ChannelAttachment, ChannelMessage } from "../../contracts/message.ts";
import type { Turn } from "../../contracts/turn.ts";
import { createCliLog } from "../cli-log.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { findTurn } from "../find-turn.ts";
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
      const message = await buildMessage(app, adapter, clock, { text, files });
      isUnderWay = true;
      const turn = await sayAndWait(app, adapter, message);
      isOver = true;
      return printOutcome(io, options, { turn, adapter, durationMs: Math.round(clock.monotonic() - startedAt) });
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

function printOutcome(
  io: CliIo,
  { json }: Options,
  { turn, adapter, durationMs }: { turn: Turn; adapter: OneShotAdapter; durationMs: number },
): number {
  const record = adapter.recordOf(turn.id);
  const isDone = turn.state === "done";
  for (const { texts } of adapter.others(turn.id)) {
    if (texts.length > 0) note(io, `an earlier message, cut off at the time, was answered now:\n${texts.join("\n")}`);
  }
  if (json) printJson(io, toJson(turn, record, durationMs));
  else if (isDone) io.stdout.write(toText(record));
  else note(io, record.texts.join("\n") || `The turn was ${turn.state}. ${turn.error ?? ""}`.trimEnd());
  return isDone ? 0 : 1;
}

function toJson({ id, route, state, error }: Turn, { texts, files, model, usage }: TurnRecord, durationMs: number) {
  return {
    reply: texts.join("\n"),
    ...(files.length > 0 && { files }),
    turnId: id,
    sessionKey: route.sessionKey,
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
