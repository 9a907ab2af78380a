/**
 * Finds what a page is about: its article, where it has one and is not too large to look for it, else its main part, else
 * all of it. Runs in the thread of `web-page.worker.ts`; takes away what nobody would read.
 */
import type { loadPageReader } from "./catalog.ts";
import type { PageDocument, PageElement } from "./page-dom.ts";

export type PageReader = Awaited<ReturnType<typeof loadPageReader>>;

export interface PageContent {
  root: PageElement;
  isArticle: boolean;
  title: string;
  byline?: string;
  siteName?: string;
  publishedTime?: string;
}

/** The search for the article takes some 25 µs per element, and many times that where there is none. */
const maxArticleElements = 6000;
const hidden = "[hidden],[aria-hidden=true],[style*='display:none'],[style*='display: none']";
const unread = "script,style,noscript,template,svg,canvas,iframe,object,embed,title";
const controls = "button,input,select,textarea,dialog";
const beside = "nav,aside,footer";
/** Of the main part, if it has less than this share of all text: else the page has put its content elsewhere. */
const minMainChars = 2000;
const minMainShare = 0.3;

export interface PickRequest {
  /** The same page anew each time. */
  parse(): PageDocument;
  /** False: it is too long, or only a part of it is there. */
  mayHaveArticle: boolean;
}

/** Undefined: there is nothing in it. */
export function pickContent({ parse, mayHaveArticle }: PickRequest, reader: PageReader): PageContent | undefined {
  const document = parse();
  const title = oneLine(document.querySelector("title")?.textContent ?? "");
  removeAll(document, hidden);
  if (!mayHaveArticle || !isArticleLikely(document, reader)) return pickMain(document, title);
  const article = findArticle(document, reader);
  if (article !== undefined) return { ...article, title: article.title || title };
  // The search took the document apart.
  const again = parse();
  removeAll(again, hidden);
  return pickMain(again, title);
}

function isArticleLikely(document: PageDocument, { isProbablyReaderable }: PageReader): boolean {
  if (document.querySelectorAll("*").length > maxArticleElements) return false;
  // What is hidden has been removed before.
  return isProbablyReaderable(document, { visibilityChecker: () => true });
}

function findArticle(document: PageDocument, { Readability }: PageReader): PageContent | undefined {
  const found = new Readability<PageElement>(document, { serializer: (node: PageElement) => node }).parse();
  if (!found?.content) return undefined;
  return {
    root: found.content,
    isArticle: true,
    title: oneLine(found.title ?? ""),
    ...(found.byline ? { byline: oneLine(found.byline) } : {}),
    ...(found.siteName ? { siteName: oneLine(found.siteName) } : {}),
    ...(found.publishedTime ? { publishedTime: oneLine(found.publishedTime) } : {}),
  };
}

function pickMain(document: PageDocument, title: string): PageContent | undefined {
  const body = document.querySelector("body") ?? document.documentElement;
  if (body === null) return undefined;
  const main = document.querySelector("main,[role=main]");
  const isMain = main !== null && lengthOf(main) >= Math.min(minMainChars, lengthOf(body) * minMainShare);
  const root = isMain ? main : body;
  removeAll(root, isMain ? [unread, controls, beside].join(",") : [unread, controls].join(","));
  return { root, isArticle: false, title };
}

const lengthOf = (element: PageElement) => element.textContent?.length ?? 0;

function removeAll(root: PageDocument | PageElement, selector: string): void {
  for (const element of Array.from(root.querySelectorAll(selector))) element.remove();
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
