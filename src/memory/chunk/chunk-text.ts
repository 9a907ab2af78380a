/**
 * Cuts a file into pieces that are found by themselves: about 400 tokens each, never over a heading, fenced code kept together
 * where it fits, each piece beginning with the last lines of the one before. The lines of a piece are known exactly.
 */
import { estimateTokens } from "./estimate-tokens.ts";

/** A line of a file. A transcript gives several lines of one message the same number. */
export interface NumberedLine {
  number: number;
  text: string;
}

export interface Chunk {
  /** Counted from 1, both included. */
  fromLine: number;
  toLine: number;
  /** The headings that it stands under, outermost first. */
  headings: string[];
  text: string;
}

export interface ChunkLimits {
  maxTokens: number;
  overlapTokens: number;
}

export const chunkLimits: ChunkLimits = { maxTokens: 400, overlapTokens: 80 };

/** From here on headings cut no more: a file of nothing but headings would be as many pieces as lines. */
const mostCutByHeading = 2000;
const longestHeading = 200;
/** A block that has to be cut anyway is cut where it is full. */
const largestBlock = 2;

interface Line extends NumberedLine {
  tokens: number;
}

/** Lines that belong together: a paragraph's, a fence's, or one heading. */
interface Block {
  type: "heading" | "text" | "fence";
  lines: Line[];
}

export function chunkText(text: string, limits: ChunkLimits = chunkLimits): Chunk[] {
  return chunkLines(
    text.split("\n").map((line, at) => ({ number: at + 1, text: line })),
    limits,
  );
}

export function chunkLines(lines: readonly NumberedLine[], limits: ChunkLimits = chunkLimits): Chunk[] {
  const packer = createPacker(limits);
  for (const block of splitBlocks(lines.flatMap((line) => cutLine(line, limits)))) packer.add(block);
  return packer.end();
}

/** A line longer than a piece becomes several of the same number. */
function cutLine({ number, text }: NumberedLine, { maxTokens }: ChunkLimits): Line[] {
  const tokens = estimateTokens(text);
  if (tokens <= maxTokens) return [{ number, text, tokens }];
  const parts: Line[] = [];
  const step = Math.max(1, Math.floor((text.length * maxTokens) / tokens));
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + step);
    while (end - at > 1 && estimateTokens(text.slice(at, end)) > maxTokens) end = at + Math.ceil((end - at) / 2);
    // Not between the halves of one character.
    if (end < text.length && end - at > 1 && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end--;
    const part = text.slice(at, end);
    parts.push({ number, text: part, tokens: estimateTokens(part) });
    at = end;
  }
  return parts;
}

function splitBlocks(lines: readonly Line[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let fence: string | undefined;
  const begin = (type: Block["type"], line: Line) => {
    open = { type, lines: [line] };
    blocks.push(open);
  };
  for (const line of lines) {
    if (fence !== undefined) {
      open?.lines.push(line);
      if (!isFenceEnd(line.text, fence)) continue;
      fence = undefined;
      open = undefined;
      continue;
    }
    fence = /^ {0,3}(`{3,}|~{3,})/.exec(line.text)?.[1];
    if (fence !== undefined) begin("fence", line);
    else if (isHeading(line.text)) {
      begin("heading", line);
      open = undefined;
    } else if (line.text.trim() === "") open = undefined;
    else if (open) open.lines.push(line);
    else begin("text", line);
  }
  return blocks;
}

const isHeading = (text: string) => /^#{1,6}\s+\S/.test(text);

const isFenceEnd = (text: string, fence: string) => {
  const mark = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(text)?.[1];
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
};

function createPacker({ maxTokens, overlapTokens }: ChunkLimits) {
  const chunks: Chunk[] = [];
  let lines: Line[] = [];
  let tokens = 0;
  /** How many of `lines` are repeated from the piece before. */
  let repeated = 0;
  let headings: string[] = [];

  const begin = (first: Line[]) => {
    lines = first;
    repeated = first.length;
    tokens = first.reduce((sum, line) => sum + line.tokens, 0);
  };
  const flush = (keep: boolean) => {
    if (lines.length > repeated) chunks.push(buildChunk(lines, headings));
    begin(keep ? pickOverlap(lines, overlapTokens) : []);
  };
  const addLine = (line: Line) => {
    if (lines.length > 0 && tokens + line.tokens > maxTokens) flush(lines.length > repeated);
    // What is repeated must not make the piece too long.
    if (lines.length > 0 && tokens + line.tokens > maxTokens) begin([]);
    lines.push(line);
    tokens += line.tokens;
  };
  const addHeading = (line: Line) => {
    const hasBody = lines.some(({ text }) => !isHeading(text));
    if (hasBody && chunks.length < mostCutByHeading) flush(false);
    addLine(line);
    headings = enterHeading(headings, line.text);
  };
  return {
    add({ type, lines: given }: Block) {
      if (type === "heading" && given[0]) return addHeading(given[0]);
      const size = given.reduce((sum, line) => sum + line.tokens, 0);
      // A block that fits into a piece is not cut, as long as the piece before is not left nearly empty.
      const isWorthIt = size <= maxTokens && tokens + size > maxTokens && tokens > maxTokens / 4;
      if (type === "fence" && size > maxTokens && size <= maxTokens * largestBlock && lines.length > repeated)
        flush(false);
      else if (isWorthIt) flush(true);
      for (const line of given) addLine(line);
    },
    end() {
      flush(false);
      return chunks;
    },
  };
}

/** The last lines that fit, and never all of them. */
function pickOverlap(lines: readonly Line[], overlapTokens: number): Line[] {
  let left = overlapTokens;
  let from = lines.length;
  while (from > 1) {
    const line = lines[from - 1];
    if (!line || line.tokens > left || isHeading(line.text)) break;
    left -= line.tokens;
    from--;
  }
  return lines.slice(from);
}

function buildChunk(lines: readonly Line[], headings: readonly string[]): Chunk {
  const first = lines[0]?.number ?? 1;
  const last = lines.at(-1)?.number ?? first;
  return { fromLine: first, toLine: last, headings: headings.map(toTitle), text: joinLines(lines) };
}

/** Blank lines between blocks were passed over; the text has them again. */
function joinLines(lines: readonly Line[]): string {
  let text = "";
  let before: Line | undefined;
  for (const line of lines) {
    if (before) text += line.number === before.number ? "\n" : "\n".repeat(Math.min(2, line.number - before.number));
    text += line.text;
    before = line;
  }
  return text;
}

function enterHeading(headings: readonly string[], line: string): string[] {
  const level = /^#+/.exec(line)?.[0].length ?? 1;
  return [
    ...headings.filter((heading) => (/^#+/.exec(heading)?.[0].length ?? 1) < level),
    line.slice(0, longestHeading),
  ];
}

const toTitle = (heading: string) =>
  heading
    .replace(/^#+\s+/, "")
    .replace(/\s+#+\s*$/, "")
    .trim();
