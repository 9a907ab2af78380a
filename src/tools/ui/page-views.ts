/** What a page looks like: as text with refs, as a picture, as a document. */
import type { Locator, Page } from "playwright-core";
import { ToolError } from "../../base/errors.ts";
import { cutHead, truncateHead } from "../kit/truncate.ts";
import type { Deadline } from "./deadline.ts";

/** Pixels; what models take. */
const maxSide = 2000;
/** Of the picture that is saved. */
const maxSavedHeight = 10_000;
/** A picture with more bytes goes to the model as JPEG. */
const maxPngBytes = 1024 * 1024;

/** Nobody reads on beyond that. */
const maxSnapshotBytes = 5 * 1024 * 1024;

export interface Snapshot {
  /** From the wanted line on, cut to the limits. */
  text: string;
  /** How to get the rest; undefined when nothing is left. */
  notice: string | undefined;
  lines: number;
}

export interface SnapshotRange {
  /** First line, from 1. */
  offset: number;
  maxLines?: number;
  maxBytes?: number;
}

export async function takeSnapshot(
  page: Page,
  range: SnapshotRange,
  deadline: Deadline,
): Promise<Snapshot & { whole: string }> {
  const { signal, timeoutMs: timeout } = deadline;
  const whole = cutHead(await deadline.wait(page.ariaSnapshot({ mode: "ai", signal, timeout })), maxSnapshotBytes);
  return { ...pickLines(whole, range), whole };
}

export function pickLines(whole: string, { offset, ...limits }: SnapshotRange): Snapshot {
  const all = whole.split("\n");
  if (whole.trim() === "") return { text: "(the page is empty)", notice: undefined, lines: 0 };
  if (offset > all.length) {
    throw new ToolError("BROWSER_BEYOND_END", `The page has ${all.length} lines; line ${offset} is beyond its end`, {
      hint: "Use a smaller offset.",
    });
  }
  const shown = truncateHead(all.slice(offset - 1).join("\n"), limits);
  const last = offset + shown.keptLines - 1;
  const isAll = last >= all.length && shown.cutBy === undefined;
  const notice = `Lines ${offset}-${last} of ${all.length}. Go on with snapshot, offset=${last + 1}.`;
  return { text: shown.text, notice: isAll ? undefined : notice, lines: shown.keptLines };
}

export interface Picture {
  /** PNG, for the file. */
  whole: Uint8Array;
  /** For the model: at most 2000 pixels a side. */
  shown: { data: Uint8Array; mimeType: "image/png" | "image/jpeg" };
  notice: string | undefined;
}

/** The visible part, the whole page, or one element. */
export async function takePicture(page: Page, what: Locator | "screen" | "page", deadline: Deadline): Promise<Picture> {
  const { signal, timeoutMs: timeout } = deadline;
  const shot = (type: "png" | "jpeg", maxHeight: number) =>
    deadline.wait(shoot(page, what, { type, maxHeight, signal, timeout }));
  const whole = await shot("png", maxSavedHeight);
  const height = readPngHeight(whole.data);
  const isCut = height > maxSide;
  const fits = isCut ? await shot("png", maxSide) : whole;
  const isHeavy = fits.data.length > maxPngBytes;
  const shown = isHeavy
    ? { data: (await shot("jpeg", maxSide)).data, mimeType: "image/jpeg" as const }
    : { data: fits.data, mimeType: "image/png" as const };
  const notice = `Shown are the first ${maxSide} pixels of its height; the file has ${height}.`;
  return { whole: whole.data, shown, notice: isCut ? notice : undefined };
}

interface Shot {
  type: "png" | "jpeg";
  maxHeight: number;
  signal: AbortSignal;
  timeout: number;
}

async function shoot(page: Page, what: Locator | "screen" | "page", { type, maxHeight, signal, timeout }: Shot) {
  const options = { type, scale: "css" as const, signal, timeout, ...(type === "jpeg" ? { quality: 80 } : {}) };
  if (what === "screen") return { data: await page.screenshot(options) };
  const { x, y, width, height } = what === "page" ? await measurePage(page) : await measureElement(what, signal);
  const clip = { x, y, width: Math.min(width, maxSide), height: Math.min(height, maxHeight) };
  return { data: await page.screenshot({ ...options, fullPage: true, clip }) };
}

/** In a frame's own words, for this program knows no DOM. */
async function measurePage(page: Page) {
  const size: unknown = await page.evaluate(
    "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
  );
  const [width, height] = Array.isArray(size) ? size.map(Number) : [];
  return { x: 0, y: 0, width: Math.max(1, width || 1), height: Math.max(1, height || 1) };
}

/** In the page's coordinates, wherever it is scrolled to. */
async function measureElement(element: Locator, signal: AbortSignal) {
  await element.scrollIntoViewIfNeeded({ signal });
  const box = await element.boundingBox({ signal });
  if (box === null) {
    throw new ToolError("BROWSER_ACTION_FAILED", "The element is not visible, so there is no picture of it", {
      hint: "Take a screenshot of the whole page.",
    });
  }
  const scrolled: unknown = await element.page().evaluate("[scrollX, scrollY]");
  const [left = 0, top = 0] = Array.isArray(scrolled) ? scrolled.map(Number) : [];
  return { x: box.x + left, y: box.y + top, width: Math.max(1, box.width), height: Math.max(1, box.height) };
}

/** Pixels. */
const readPngHeight = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(20);

const maxPdfBytes = 50 * 1024 * 1024;

export async function printPage(page: Page, deadline: Deadline): Promise<Uint8Array> {
  const data = await deadline.wait(page.pdf({ printBackground: true }));
  if (data.length <= maxPdfBytes) return data;
  throw new ToolError("BROWSER_ACTION_FAILED", "The page is too long for a document", {
    hint: "Take screenshots of the parts that matter.",
  });
}
