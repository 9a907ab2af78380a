/** Markdown on the page. While a text grows only its last block is drawn again; finished blocks of code get their colours. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button, CopyButton, formatBytes } from "../ui/index.ts";
import { loadHighlighter } from "./catalog.ts";
import { growBlocks, startGrowing } from "./grow-blocks.ts";
import { sanitise, sanitiseHighlighted } from "./sanitise.ts";
import { type Block, blockToHtml, codeOf, type Style } from "./to-html.ts";

interface MarkdownProps {
  text: string;
  style: Style;
  /** More is coming. */
  isGrowing?: boolean | undefined;
}

/** A block that is larger is shown by its end while it grows, and by its beginning until somebody asks for all of it. */
const largestBlock = 60_000;
const shownOfLarge = 20_000;
const largestHighlighted = 30_000;

export function Markdown({ text, style, isGrowing = false }: MarkdownProps) {
  const known = useRef(startGrowing);
  const growing = growBlocks(known.current, text, style);
  known.current = growing;
  const finished = useFinishedViews(growing.blocks, style);
  return (
    <div class="markdown">
      {finished}
      {growing.rest.map((block, n) => (
        <BlockView key={growing.blocks.length + n} block={block} style={style} isGrowing={isGrowing} />
      ))}
    </div>
  );
}

/** The same views for the same blocks: Preact skips what is the same object. */
function useFinishedViews(blocks: readonly Block[], style: Style) {
  const views = useRef(new Map<Block, preact.JSX.Element>());
  return useMemo(() => {
    const next = new Map(
      blocks.map((block, n) => [
        block,
        views.current.get(block) ?? <BlockView key={n} block={block} style={style} isGrowing={false} />,
      ]),
    );
    views.current = next;
    return [...next.values()];
  }, [blocks, style]);
}

interface BlockProps {
  block: Block;
  style: Style;
  isGrowing: boolean;
}

function BlockView({ block, style, isGrowing }: BlockProps) {
  const code = codeOf(block);
  if (code) return <CodeBlock {...code} isGrowing={isGrowing} />;
  if (block.kind === "plain" && block.raw.length <= largestBlock) return <p class="markdown-plain">{block.raw}</p>;
  if (block.raw.length > largestBlock) return <LargeText text={block.raw} isGrowing={isGrowing} />;
  return <HtmlBlock block={block} style={style} />;
}

function HtmlBlock({ block, style }: { block: Block; style: Style }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fragment = sanitise(blockToHtml(block, style));
    for (const table of fragment.querySelectorAll("table")) frameTable(table);
    element.current?.replaceChildren(fragment);
  }, [block, style]);
  return <div class="markdown-block" ref={element} />;
}

/** A wide table scrolls in a frame that the keyboard reaches. */
function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "markdown-table";
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}

function CodeBlock({ text, language, isGrowing }: { text: string; language: string; isGrowing: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isLarge = text.length > largestBlock;
  const shown = isLarge && !isWhole ? cut(text, isGrowing) : text;
  const element = useRef<HTMLElement>(null);
  useHighlight(element, shown, language, isGrowing);
  return (
    <div class="markdown-code">
      <div class="markdown-code-head">
        <span>{language === "" ? "text" : language}</span>
        <CopyButton text={text} label="Copy the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code ref={element} />
      </pre>
      {isLarge && !isWhole && <ShowAll bytes={text.length} isGrowing={isGrowing} onShow={() => setWhole(true)} />}
    </div>
  );
}

function LargeText({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div>
      <p class="markdown-plain">{isWhole ? text : cut(text, isGrowing)}</p>
      {!isWhole && <ShowAll bytes={text.length} isGrowing={isGrowing} onShow={() => setWhole(true)} />}
    </div>
  );
}

const cut = (text: string, fromEnd: boolean) => (fromEnd ? text.slice(-shownOfLarge) : text.slice(0, shownOfLarge));

function ShowAll({ bytes, isGrowing, onShow }: { bytes: number; isGrowing: boolean; onShow(): void }) {
  if (isGrowing) return <p class="muted small">Only the end is shown while it grows ({formatBytes(bytes)}).</p>;
  return (
    <p class="markdown-more">
      <Button size="small" onClick={onShow}>
        Show all {formatBytes(bytes)}
      </Button>
    </p>
  );
}

/** Plain at once; coloured when the text is finished and the highlighter is there. */
function useHighlight(
  element: { current: HTMLElement | null },
  text: string,
  language: string,
  isGrowing: boolean,
): void {
  useLayoutEffect(() => {
    if (element.current) element.current.textContent = text;
  }, [element, text]);
  useEffect(() => {
    if (isGrowing || language === "" || text.length > largestHighlighted) return;
    let isWanted = true;
    const paint = async () => {
      const { highlightCode } = await loadHighlighter();
      await whenIdle();
      const html = isWanted ? highlightCode(text, language) : undefined;
      if (html !== undefined) element.current?.replaceChildren(sanitiseHighlighted(html));
    };
    // Colours are decoration: without them the code is there all the same.
    paint().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [element, text, language, isGrowing]);
}

/** A long conversation is full of code: its colours come bit by bit, between other things. */
const whenIdle = (): Promise<unknown> =>
  new Promise((resolve) => {
    // Safari has none.
    if ("requestIdleCallback" in globalThis) requestIdleCallback(resolve, { timeout: 2_000 });
    else setTimeout(resolve, 50);
  });
