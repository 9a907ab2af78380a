/**
 * `/tree`: the branches of this conversation, and going on from another point of it. Nothing is removed: the next message
 * becomes another branch.
 */
import type { Command, CommandCall } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, parseNumber } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";
import { buildPoints, listPath, type Point, type Points } from "./transcript/build-points.ts";
import { formatTree } from "./transcript/format-tree.ts";
import { buildEntry, findRecorded } from "./transcript/new-entry.ts";
import { isRecord } from "./transcript/read-said.ts";

/** What is put on record of a step to another branch. */
interface Move {
  /** 0: before everything. */
  to: number;
  toText: string;
  /** Messages of the branch that is left, without those that both have. */
  left: number;
  firstLeft: number;
}

const customType = "mom.branch";

export function buildTreeCommand({ transcripts, clock }: Pick<CommandDeps, "transcripts" | "clock">): Command {
  const command: Command = {
    name: "tree",
    usage: "[number]",
    summary: "show the branches of this conversation, or go on from another point of it",
    async run({ session, args, steps, record }) {
      const recorded = parseMove(steps);
      if (recorded) return formatMove(recorded);
      const whole = await transcripts.whole(session.sessionKey);
      const points = buildPoints(whole?.entries ?? [], whole?.leaf ?? null);
      if (points.all.length === 0) return "Nothing has been said in this conversation yet.";
      if (args === "") return show(points);
      const target = pick(command, points, args);
      if (target === points.here) return `The conversation is at ${formatPoint(target)} already.`;
      const move = toMove(points.here, target);
      const entry = buildEntry({ type: "custom", customType, data: { ...move, from: whole?.leaf } }, clock.now());
      await record({ body: { type: "branch" }, entries: [entry], parentId: target?.end ?? null });
      return formatMove(move);
    },
  };
  return command;
}

const show = (points: Points) =>
  `${formatTree(points)}\n\n\`/tree number\` goes on after that message and my answer to it, \`/tree 0\` from the beginning.`;

/** Undefined: before everything. */
function pick(command: Command, { all }: Points, typed: string): Point | undefined {
  const number = parseNumber(typed);
  if (number === 0) return undefined;
  const point = all.find((each) => each.number === number);
  if (point) return point;
  throw badArguments(command, `There is no message ${toCode(typed, 40)}; \`/tree\` shows the ones there are`);
}

function toMove(here: Point | undefined, target: Point | undefined): Move {
  const kept = new Set(listPath(target));
  const left = listPath(here).filter((point) => !kept.has(point));
  return {
    to: target?.number ?? 0,
    toText: target?.said.text.slice(0, 200).toWellFormed() ?? "",
    left: left.length,
    firstLeft: left[0]?.number ?? 0,
  };
}

function formatMove({ to, toText, left, firstLeft }: Move): string {
  const place =
    to === 0
      ? "from the beginning, with nothing said"
      : `after message ${to} (${toCode(toText, 100)}) and my answer to it`;
  const other =
    left === 0
      ? "Nothing is left behind."
      : `Left on another branch: ${formatNumber(left, "message")}, from ${firstLeft} on; \`/tree\` still shows them.`;
  return `The conversation goes on ${place}. ${other}`;
}

const formatPoint = (point: Point | undefined) => (point ? `message ${point.number}` : "its beginning");

/** What an interrupted attempt has done. */
function parseMove(steps: CommandCall["steps"]): Move | undefined {
  const entry = findRecorded(steps, "custom");
  const data = entry?.customType === customType ? entry.data : undefined;
  return isMove(data) ? data : undefined;
}

function isMove(data: unknown): data is Move {
  if (!isRecord(data)) return false;
  const { to, toText, left, firstLeft } = data;
  return [to, left, firstLeft].every((value) => typeof value === "number") && typeof toText === "string";
}
