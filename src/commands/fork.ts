/**
 * `/fork`: a new conversation that ends just before something a person said, so that it can be said differently. The present
 * one is kept. The choice is put on record before the change of conversation, because the numbers of the new one are others.
 */
import type { Command, CommandCall } from "../contracts/command.ts";
import type { EntryId } from "../contracts/ids.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, parseNumber } from "./text/arguments.ts";
import { toBlock, toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";
import { buildPoints, listPath, type Point } from "./transcript/build-points.ts";
import { buildEntry, findRecorded } from "./transcript/new-entry.ts";
import { isRecord, type Said } from "./transcript/read-said.ts";
import { walkPath } from "./transcript/walk-path.ts";

type Deps = Pick<CommandDeps, "transcripts" | "sessions" | "clock">;

/** Where the new conversation ends; null: it begins empty. */
interface Fork {
  upTo: EntryId | null;
  number: number;
  said: Said;
  /** The one that the message called; its text stands before the message and stays behind with it. */
  skill?: string;
}

const customType = "mom.fork";
const mostShown = 15;
const maxTextChars = 3000;

export function buildForkCommand({ transcripts, sessions, clock }: Deps): Command {
  const take = async ({ session, turn }: CommandCall, { upTo }: Fork) =>
    upTo === null ? undefined : transcripts.fork(session.sessionKey, upTo, turn.id);
  const command: Command = {
    name: "fork",
    usage: "[number]",
    summary: "begin a copy of this conversation that ends before one of your messages",
    async run(call) {
      const { session, turn, args, steps, record } = call;
      const recorded = parseFork(steps);
      if (recorded) {
        await sessions.reset(session.sessionKey, turn.id, await take(call, recorded));
        return formatForked(recorded);
      }
      const whole = await transcripts.whole(session.sessionKey);
      const points = buildPoints(whole?.entries ?? [], whole?.leaf ?? null);
      if (args === "") return formatList(listPath(points.here));
      const point = points.all.find(({ number }) => number === parseNumber(args));
      if (!point) throw badArguments(command, `There is no message ${toCode(args, 40)}; \`/fork\` lists the last ones`);
      const fork = toFork(whole?.entries ?? [], point);
      const life = await take(call, fork);
      const entry = buildEntry({ type: "custom", customType, data: fork }, clock.now());
      await record({ body: { type: "note" }, entries: [entry] });
      await sessions.reset(session.sessionKey, turn.id, life);
      return formatForked(fork);
    },
  };
  return command;
}

function toFork(entries: readonly TranscriptEntry[], { entry, number, said }: Point): Fork {
  const before = walkPath(entries, entry.parentId);
  const skill = toSkillName(before.at(-1));
  const upTo = before.findLast((each) => !isSkillText(each))?.id ?? null;
  return { upTo, number, said: cutSaid(said), ...(skill !== undefined && { skill }) };
}

const isSkillText = (entry: TranscriptEntry) => entry.type === "custom_message" && entry.customType === "skill";

function toSkillName(entry: TranscriptEntry | undefined): string | undefined {
  if (entry?.type !== "custom_message" || !isSkillText(entry) || !isRecord(entry.details)) return undefined;
  const { name } = entry.details;
  return typeof name === "string" ? name : undefined;
}

function formatList(path: readonly Point[]): string {
  if (path.length === 0) return "Nothing has been said here yet.";
  const last = path.slice(-mostShown);
  return [
    "What was said in this conversation:",
    ...(path.length > last.length ? [`- … ${path.length - last.length} before`] : []),
    ...last.map(({ number, said }) => `- **${number}** ${toCode(said.text, 100)}`),
    "",
    "`/fork number` begins a copy that ends just before that message.",
  ].join("\n");
}

function formatForked({ number, said, skill }: Fork): string {
  const called =
    skill === undefined ? "" : ` It called the skill ${toCode(skill, 70)}, which you would have to call again.`;
  const files =
    said.attachments > 0
      ? ` It came with ${formatNumber(said.attachments, "file")}, which you would have to send again.`
      : "";
  return [
    `We are in a copy of the conversation that ends just before message ${number}; the original is kept (\`/resume\`).`,
    `You said then:${called}${files}`,
    "",
    toBlock(said.text, { maxChars: maxTextChars }),
  ].join("\n");
}

const cutSaid = (said: Said): Said => ({ ...said, text: said.text.slice(0, maxTextChars + 1).toWellFormed() });

/** What an interrupted attempt has decided. */
function parseFork(steps: CommandCall["steps"]): Fork | undefined {
  const entry = findRecorded(steps, "custom");
  const data = entry?.customType === customType ? entry.data : undefined;
  return isFork(data) ? data : undefined;
}

function isFork(data: unknown): data is Fork {
  if (!isRecord(data) || !isRecord(data["said"])) return false;
  const { upTo, number, said, skill } = data;
  if (skill !== undefined && typeof skill !== "string") return false;
  return (upTo === null || typeof upTo === "string") && typeof number === "number" && typeof said["text"] === "string";
}
