/** Document → text in a dialect. */
import type { Body, Cell, Dialect, ListItem } from "./dialect.ts";
import { plainDialect } from "./dialects/plain.ts";
import type { Block, Inline, Item } from "./document.ts";
import { hasInk } from "./ink.ts";
import { restoreLines } from "./layout.ts";

/** Lines are made for `room` columns. Empty where there is nothing to see. */
export function renderDocument(blocks: Block[], dialect: Dialect, room = Infinity): string {
  return restoreLines(renderBlocks(blocks, { dialect, remember: (_, render) => render() })(room));
}

/** For rendering parts of one document again and again: what was rendered before is remembered. Lines are not wrapped. */
export function createRenderer(dialect: Dialect): (blocks: Block[]) => string {
  const known = new Map<object, unknown>();
  const remember = <T>(node: object, render: () => T): T => {
    const rendered = known.has(node) ? (known.get(node) as T) : render();
    known.set(node, rendered);
    return rendered;
  };
  return (blocks) => restoreLines(renderBlocks(blocks, { dialect, remember })(Infinity));
}

interface Hand {
  dialect: Dialect;
  /** What `render` gives for that node, perhaps from before. */
  remember<T>(node: object, render: () => T): T;
}

function renderBlocks(blocks: Block[], hand: Hand, gap = hand.dialect.blockGap): Body {
  return (room) =>
    blocks
      .map((block) => hand.remember(block, () => renderBlock(block, hand, room)))
      .filter((block) => block !== "")
      .join(gap);
}

function renderBlock(block: Block, hand: Hand, room: number): string {
  const { dialect } = hand;
  switch (block.type) {
    case "paragraph":
      return dialect.paragraph(renderInline(block.inner, hand, true), room);
    case "heading":
      return dialect.heading(renderInline(block.inner, hand), block.depth, room);
    case "code":
      return hasInk(block.code) ? dialect.codeBlock(block.code, block.language) : "";
    case "quote":
      return dialect.quote(renderBlocks(block.blocks, hand), room);
    case "list":
      return dialect.list(
        block.items.map((item) => toListItem(item, block.isLoose, hand)),
        block.isLoose,
        room,
      );
    case "table": {
      const toCells = (cells: Inline[][]) => hand.remember(cells, () => cells.map((cell) => toCell(cell, hand)));
      const { header, rows, align } = block;
      return dialect.table({ header: toCells(header), rows: rows.map(toCells), align }, room);
    }
    case "rule":
      return dialect.rule(room);
  }
}

function toListItem({ blocks, ...item }: Item, isLoose: boolean, hand: Hand): ListItem {
  return { ...item, body: renderBlocks(blocks, hand, isLoose ? hand.dialect.blockGap : "\n") };
}

function toCell(inner: Inline[], hand: Hand): Cell {
  const plain = renderInline(inner, { ...hand, dialect: plainDialect, remember: (_, render) => render() });
  return { inner: renderInline(inner, hand), plain: plain.replace(/\s+/g, " ").trim() };
}

function renderInline(nodes: Inline[], hand: Hand, isLineStart = false): string {
  const spans = nodes
    .map((node, index) => {
      const isFirst = index === 0 ? isLineStart : nodes[index - 1]?.type === "break";
      return hand.remember(node, () => renderSpan(node, hand, isFirst));
    })
    .filter((span) => span !== "");
  const { seam } = hand.dialect;
  if (!seam) return spans.join("");
  return spans.map((span, index) => (index === 0 ? span : seam(spans[index - 1] ?? "", span) + span)).join("");
}

function renderSpan(node: Inline, hand: Hand, isLineStart: boolean): string {
  const { dialect } = hand;
  switch (node.type) {
    case "text":
      return dialect.text(node.words, isLineStart);
    case "strong":
    case "emphasis":
    case "strike":
      return mark(renderInline(node.inner, hand), dialect[node.type]);
    case "code":
      return hasInk(node.code) ? dialect.codeSpan(node.code) : dialect.text(node.code, isLineStart);
    case "link":
      return dialect.link(renderInline(node.inner, hand), node.url);
    case "image":
      return dialect.image(dialect.text(node.alt, false), node.url);
    case "mention":
      return dialect.mentions ? node.written : dialect.text(node.words, isLineStart);
    case "break":
      return dialect.lineBreak;
  }
}

/** Space at the edges stays outside, where marks must touch a word. */
function mark(inner: string, write: (inner: string) => string): string {
  if (!hasInk(inner)) return inner;
  const start = inner.length - inner.trimStart().length;
  const end = inner.trimEnd().length;
  return inner.slice(0, start) + write(inner.slice(start, end)) + inner.slice(end);
}
