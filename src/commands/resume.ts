/**
 * `/resume`: takes up an earlier conversation of this session again; the present one is kept. They are numbered by when they
 * began, so that a number means the same conversation before and after.
 */

import { formatBytes, formatMoment } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { SessionLife } from "../contracts/store.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, parseNumber } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

interface NumberedLife extends SessionLife {
  number: number;
}

const mostShown = 20;
const shortestId = 4;

export function buildResumeCommand({ transcripts, sessions }: Pick<CommandDeps, "transcripts" | "sessions">): Command {
  const command: Command = {
    name: "resume",
    usage: "[number or id]",
    summary: "list earlier conversations, or go on with one of them",
    async run({ session, turn, args }) {
      const lives = toNumbered(await transcripts.lives(session.sessionKey));
      if (args === "") return formatList(lives);
      const life = pick(command, lives, args);
      // After a crash it may be the present one because of this very command.
      if (!life.isPresent) await sessions.reset(session.sessionKey, turn.id, life.sessionId);
      return `We are in conversation ${life.number} now: ${describe(life)}. The others are kept; \`/resume\` lists them.`;
    },
  };
  return command;
}

const toNumbered = (lives: readonly SessionLife[]): NumberedLife[] =>
  lives
    .toSorted((a, b) => a.startedAt - b.startedAt || (a.sessionId < b.sessionId ? -1 : 1))
    .map((life, index) => ({ ...life, number: index + 1 }));

function formatList(lives: readonly NumberedLife[]): string {
  if (lives.every(({ isPresent }) => isPresent)) return "There is no earlier conversation here.";
  const newest = lives.toReversed().slice(0, mostShown);
  return [
    "Conversations of this session, the newest first:",
    ...newest.map((life) => `- **${life.number}** ${describe(life)}${life.isPresent ? " ← this one" : ""}`),
    ...(lives.length > mostShown ? [`- … and ${lives.length - mostShown} older ones`] : []),
    "",
    "`/resume number` goes on with one.",
  ].join("\n");
}

function describe({ name, opening, startedAt, updatedAt, bytes, sessionId }: SessionLife): string {
  // The opening is a line of the transcript: time and speaker stand in front.
  const title = name ?? opening?.replace(/^\(\d{4}-\d\d-\d\d \d\d:\d\d\) \[[^\]]*\]: /, "");
  const times = `${formatMoment(startedAt)} to ${formatMoment(updatedAt)}`;
  return `${title === undefined ? "(nothing said)" : toCode(title, 80)}, ${times}, ${formatBytes(bytes)}, id ${toCode(sessionId.slice(0, 8))}`;
}

function pick(command: Command, lives: readonly NumberedLife[], typed: string): NumberedLife {
  const number = parseNumber(typed);
  const byNumber = lives.find((life) => life.number === number);
  if (byNumber) return byNumber;
  const id = typed.toLowerCase();
  const byId = id.length < shortestId ? [] : lives.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(id));
  const [only, another] = byId;
  if (only && !another) return only;
  if (another)
    throw badArguments(command, `${byId.length} conversations have an id that begins with ${toCode(typed, 40)}`);
  throw badArguments(command, `There is no conversation ${toCode(typed, 40)}; \`/resume\` lists the ones there are`);
}
