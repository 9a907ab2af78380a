/** The browser's answer to the model: a line of our own, then what comes from the page, marked as foreign. */
import type { ImageContent, TextContent } from "../../contracts/model.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { shortenLine } from "../kit/truncate.ts";
import type { Picture, Snapshot } from "./page-views.ts";

/** What an action did. */
export interface Report {
  /** In our own words. */
  did: string;
  /** The tabs; foreign text. */
  listing?: string;
  /** The page is another one than before: a glance at it comes along. */
  isChanged?: boolean;
  snapshot?: Snapshot & { whole: string };
  picture?: Picture["shown"];
  /** Of the file that was saved. */
  path?: string;
}

export interface FullReport extends Report {
  action: string;
  /** Foreign text. */
  notices: string[];
  /** Where the session is now; absent when no page is open. */
  page?: { url: string; title: string };
}

export interface BrowserDetails {
  action: string;
  url?: string;
  title?: string;
  path?: string;
  lines?: number;
}

const maxTitleLength = 200;
const maxUrlLength = 500;

export function buildReport({
  did,
  action,
  notices,
  page,
  listing,
  snapshot,
  picture,
  path,
}: FullReport): ToolResult<BrowserDetails> {
  const url = page === undefined ? undefined : shortenLine(page.url, maxUrlLength);
  const title = page === undefined ? undefined : shortenLine(page.title.replace(/\s+/g, " "), maxTitleLength);
  const details: BrowserDetails = {
    action,
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(path === undefined ? {} : { path }),
    ...(snapshot === undefined ? {} : { lines: snapshot.lines }),
  };
  const state = url === undefined ? [] : [`Page: ${title || "(no title)"} | ${url}`];
  const outside = [...state, ...notices, ...[listing, snapshot?.text].filter((part) => part !== undefined)];
  const marked = outside.length === 0 ? "" : markOutside(outside.join("\n"), url ?? "browser");
  const notice = snapshot?.notice === undefined ? "" : `[${snapshot.notice}]`;
  const text = [did, marked, notice].filter((part) => part !== "").join("\n");
  const content: (TextContent | ImageContent)[] = [{ type: "text", text }];
  if (picture !== undefined) {
    content.push({ type: "image", data: Buffer.from(picture.data).toString("base64"), mimeType: picture.mimeType });
  }
  return { content, details, ...(outside.length === 0 ? {} : { outside: url ?? "browser" }) };
}
