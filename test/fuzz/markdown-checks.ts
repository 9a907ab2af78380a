/**
 * What must hold for every text in every dialect, whole and split:
 *
 * - Nothing throws, no post is empty, each is within the limit, well-formed and free of control characters.
 * - Everything that a post opens it closes.
 * - Nothing outside code calls anybody or commands the platform, except for the mentions that the writer made.
 * - No text is lost. What counts is the row of letters and digits that a reader sees, as the plain rendering has it, with the
 *   numbers of lists, and with the addresses of links behind their labels (unless both are the same). A rendering in one
 *   piece has exactly that row. Posts have it too, one behind the other, where nothing has to be said again; where a link or
 *   a numbered item is cut and goes on, the row is still in them in its order, with repetitions between. Tables are written as
 *   a grid or as records, with their header said again after a cut: for texts that have one, every letter and digit is there at
 *   least as often as in the plain rendering. Digits do not count where two lists follow each other and the reader, as readers
 *   of Markdown do, counts them as one.
 */
import assert from "node:assert/strict";
import type { Dialect } from "../../src/channels/kit/dialect.ts";
import { plainDialect } from "../../src/channels/kit/dialects/plain.ts";
import type { Block, Inline } from "../../src/channels/kit/document.ts";
import { renderMarkdown } from "../../src/channels/kit/markdown.ts";
import { measure } from "../../src/channels/kit/measure.ts";
import { parseDocument } from "../../src/channels/kit/parse-document.ts";
import { renderPosts } from "../../src/channels/kit/render-posts.ts";
import { massMention, type Rig, rigs } from "./markdown-rigs.ts";

/** Throws with the dialect and the length in its message. `lengths` besides the text in one piece. */
export function checkMarkdown(markdown: string, lengths: readonly number[]): void {
  const document = parseDocument(markdown);
  const facts: Facts = {
    isEmpty: document.length === 0,
    row: toRow(renderMarkdown(markdown, everythingOnce)),
    hasTable: hasTable(document),
    hasLink: hasLink(document),
    hasNumbers: hasNumbers(document),
    hasListsInRow: hasListsInRow(document),
  };
  for (const rig of rigs) {
    for (const maxLength of [Infinity, ...lengths]) {
      try {
        checkPosts(renderPosts(markdown, rig.dialect, { maxLength, ...rig }), maxLength, rig, facts, markdown);
      } catch (error) {
        throw new Error(`${rig.name} at ${maxLength}: ${String(error)}`, { cause: error });
      }
    }
  }
}

/** The plain rendering, but for tables, which it may write as records that say the header again and again. */
const everythingOnce: Dialect = {
  ...plainDialect,
  table: ({ header, rows }) => [header, ...rows].flatMap((row) => row.map(({ inner }) => inner)).join("\n"),
};

interface Facts {
  isEmpty: boolean;
  row: string;
  hasTable: boolean;
  hasLink: boolean;
  hasNumbers: boolean;
  hasListsInRow: boolean;
}

function checkPosts(posts: string[], maxLength: number, rig: Rig, facts: Facts, markdown: string): void {
  if (markdown.trim() === "") {
    assert.deepEqual(posts, []);
    return;
  }
  assert.ok(posts.length > 0, "nothing to post");
  for (const post of posts) {
    const length = rig.measure ? rig.measure(post) : measure(post, rig.unit);
    assert.ok(length <= maxLength, `a post of ${length}`);
    assert.notEqual(post.trim(), "", "an empty post");
    assert.ok(post.isWellFormed(), "half a character");
    const controls =
      rig.name === "signal"
        ? /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0\ufdd1]/
        : /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef]/;
    assert.doesNotMatch(post, controls, "a control character");
    rig.assertBalanced(post);
    const outside = rig.outsideCode(post);
    assert.doesNotMatch(outside, massMention, "a mass mention");
    assert.doesNotMatch(outside, rig.commands, "a command");
  }
  if (facts.isEmpty) return;
  const look = (row: string) => (rig.countsItems && facts.hasListsInRow ? row.replace(/\p{N}/gu, "") : row);
  const row = look(posts.map((post) => toRow(rig.read(post))).join(""));
  const wanted = look(facts.row);
  const mayRepeat = posts.length > 1 && (facts.hasLink || (rig.repeatsMarkers && facts.hasNumbers));
  if (facts.hasTable) assertCounts(row, wanted);
  else if (mayRepeat) assertWithin(row, wanted);
  else assert.equal(row, wanted, "the text is another");
}

/** Letters and digits. Look-alikes and what is written as `%28` in an address are no text of their own. */
function toRow(text: string): string {
  return text
    .replace(/%[0-9a-f]{2}/gi, "")
    .replaceAll("☑", "x")
    .replaceAll("ˋ", "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

function assertCounts(row: string, wanted: string): void {
  const left = new Map<string, number>();
  for (const letter of row) left.set(letter, (left.get(letter) ?? 0) + 1);
  for (const letter of wanted) {
    const count = left.get(letter) ?? 0;
    assert.ok(count > 0, `a lost "${letter}"`);
    left.set(letter, count - 1);
  }
}

function assertWithin(row: string, wanted: string): void {
  const letters = [...wanted];
  let next = 0;
  for (const letter of row) if (letter === letters[next]) next++;
  assert.equal(next, letters.length, `lost from "${letters.slice(next, next + 20).join("")}" on`);
}

const hasTable = (blocks: Block[]): boolean =>
  blocks.some((block) => block.type === "table" || hasTable(childrenOf(block)));
const hasNumbers = (blocks: Block[]): boolean =>
  blocks.some(
    (block) =>
      (block.type === "list" && block.items.some(({ number, isChecked }) => number !== undefined || isChecked)) ||
      hasNumbers(childrenOf(block)),
  );
const hasListsInRow = (blocks: Block[]): boolean =>
  blocks.some(
    (block, index) =>
      (block.type === "list" && blocks[index + 1]?.type === "list") ||
      (block.type === "list"
        ? block.items.some((item) => hasListsInRow(item.blocks))
        : hasListsInRow(childrenOf(block))),
  );
const hasLink = (blocks: Block[]): boolean =>
  blocks.some((block) => ("inner" in block && hasLinkInside(block.inner)) || hasLink(childrenOf(block)));
const hasLinkInside = (nodes: Inline[]): boolean =>
  nodes.some((node) => node.type === "link" || ("inner" in node && hasLinkInside(node.inner)));

function childrenOf(block: Block): Block[] {
  if (block.type === "quote") return block.blocks;
  return block.type === "list" ? block.items.flatMap((item) => item.blocks) : [];
}
