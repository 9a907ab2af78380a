/** The points of a conversation as a tree in a fenced block: straight on in one column, branches one step further right. */
import { pickFence, toLine } from "../text/foreign-text.ts";
import type { Point, Points } from "./build-points.ts";

const mostLines = 50;
const mostDepth = 12;
const maxTextChars = 80;

export function formatTree({ roots, here }: Points): string {
  const lines: string[] = [];
  let hereAt = here ? 0 : -1;
  // A stack instead of recursion: a conversation can be thousands of messages long.
  const stack = toFrames(roots, 0);
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { point, depth } = frame;
    if (point === here) hereAt = lines.length;
    lines.push(formatLine(point, depth, point === here));
    stack.push(...toFrames(point.children, depth));
  }
  if (!here) lines.unshift("0  (the beginning) ← here");
  const shown = cutAround(lines, Math.max(0, hereAt));
  const fence = pickFence(shown.join("\n"));
  return [fence, ...shown, fence].join("\n");
}

interface Frame {
  point: Point;
  depth: number;
}

/** Last first, as a stack takes them. */
function toFrames(points: readonly Point[], depth: number): Frame[] {
  const below = points.length > 1 ? depth + 1 : depth;
  return points.map((point) => ({ point, depth: below })).reverse();
}

function formatLine({ number, said }: Point, depth: number, isHere: boolean): string {
  const indent = "  ".repeat(Math.min(depth, mostDepth));
  return `${indent}${number}  ${toLine(said.text, maxTextChars) || "(empty)"}${isHere ? " ← here" : ""}`;
}

/** A part that has line `at` in it. */
function cutAround(lines: readonly string[], at: number): string[] {
  if (lines.length <= mostLines) return [...lines];
  const start = Math.max(0, Math.min(at - Math.floor(mostLines / 2), lines.length - mostLines));
  const end = start + mostLines;
  return [
    ...(start > 0 ? [`… ${start} before`] : []),
    ...lines.slice(start, end),
    ...(end < lines.length ? [`… ${lines.length - end} after`] : []),
  ];
}
