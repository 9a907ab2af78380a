/** Pages by address: fetched through the guard, kept for some minutes, so that a page read in pieces is loaded once. */
import type { Clock } from "../../contracts/clock.ts";
import { type ContentKind, pickContentKind } from "./content-kind.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { BodyRenderer, PageFormat, RenderedText } from "./render-body.ts";
import { createTimedCache } from "./timed-cache.ts";

export interface Page {
  /** Where it came from in the end. */
  url: string;
  status: number;
  contentType: string;
  bytes: Uint8Array;
  kind: ContentKind;
  /** What has been made of it so far. */
  rendered: Map<PageFormat, RenderedText>;
}

export interface PageSource {
  /** Rejects as `GuardedFetch.fetch` does. Only successes are kept. */
  load(url: string, signal: AbortSignal): Promise<Page>;
  /** At least `enoughChars` of its text, or all. */
  render(page: Page, format: PageFormat, wanted: { enoughChars: number; signal: AbortSignal }): Promise<RenderedText>;
}

export interface PageSourceDependencies {
  web: GuardedFetch;
  renderer: BodyRenderer;
  clock: Clock;
}

export interface PageSourceLimits {
  maxBytes: number;
  timeoutSeconds: number;
  cacheMinutes: number;
}

const maxCachedPages = 100;
const maxCacheBytes = 64 * 1024 * 1024;
/** Most pages have less text than this, and of the others mostly no more is read. */
const usualChars = 120_000;

export function createPageSource(
  { web, renderer, clock }: PageSourceDependencies,
  { maxBytes, timeoutSeconds, cacheMinutes }: PageSourceLimits,
): PageSource {
  const pages = createTimedCache<Page>(clock, {
    maxAgeMs: cacheMinutes * 60_000,
    maxEntries: maxCachedPages,
    maxBytes: maxCacheBytes,
  });
  return {
    async load(address, signal) {
      const key = address.replace(/#.*$/s, "");
      const known = pages.get(key);
      if (known !== undefined) return known;
      const { url, status, headers, body } = await web.fetch(address, {
        maxBytes,
        timeoutMs: timeoutSeconds * 1000,
        signal,
      });
      const contentType = headers.get("content-type") ?? "";
      const kind = pickContentKind(contentType, body);
      const page: Page = { url, status, contentType, bytes: body, kind, rendered: new Map() };
      // Its texts are about as large again.
      if (status < 300) pages.set(key, page, body.length * 2);
      return page;
    },
    async render(page, format, { enoughChars, signal }) {
      const known = page.rendered.get(format);
      if (known !== undefined && (!known.isCut || known.text.length >= enoughChars)) return known;
      const isUsual = enoughChars <= usualChars / 2;
      const made = await renderer.render(page, format, {
        enoughChars: isUsual ? usualChars : Number.POSITIVE_INFINITY,
        signal,
      });
      page.rendered.set(format, made);
      return made;
    },
  };
}
