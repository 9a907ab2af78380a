/**
 * A fetched body as text for the model: HTML and PDF in threads with a time limit, text as it is. Remembers what it made
 * with the page, so that going on in a long one costs nothing.
 */
import { errorText, systemCode, ToolError } from "../../base/errors.ts";
import { createWorkerRunner } from "../../base/worker-runner.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ContentKind } from "./content-kind.ts";
import { decodeText } from "./decode-text.ts";
import type { ReadPage } from "./read-page.ts";
import type { WebPageJob } from "./web-page.worker.ts";
import type { ReadPdf } from "./web-pdf.worker.ts";

export type PageFormat = "markdown" | "text" | "html";

export interface Body {
  url: string;
  contentType: string;
  bytes: Uint8Array;
  kind: ContentKind;
}

export interface RenderedText {
  text: string;
  /** There is more; asked for with a larger `enoughChars`. */
  isCut: boolean;
  title: string;
  /** About the page, for the model: it needs a browser, it wants a login. */
  remark?: string;
}

export interface BodyRenderer {
  /** Rejects with `WEB_PAGE_UNREADABLE`, `WORK_BUSY` or `ABORTED`. Only for html, text and pdf. */
  render(body: Body, format: PageFormat, options: { enoughChars: number; signal: AbortSignal }): Promise<RenderedText>;
  close(): Promise<void>;
}

const timeoutMs = 20_000;

export function createBodyRenderer(clock: Clock): BodyRenderer {
  const pages = createWorkerRunner<WebPageJob, ReadPage>({
    source: new URL("./web-page.worker.ts", import.meta.url),
    clock,
  });
  const pdfs = createWorkerRunner<{ body: Uint8Array }, ReadPdf>({
    source: new URL("./web-pdf.worker.ts", import.meta.url),
    clock,
  });
  return {
    async render({ url, contentType, bytes, kind }, format, { enoughChars, signal }) {
      try {
        if (kind.type === "pdf") return toPdfText(await pdfs.run({ body: bytes }, { timeoutMs, signal }));
        if (kind.type === "html" && format !== "html") {
          const job = { body: bytes, contentType, url, format, enoughChars };
          return toPageText(await pages.run(job, { timeoutMs, signal }), format);
        }
        return { text: decodeText(bytes, contentType), isCut: false, title: "" };
      } catch (error) {
        if (systemCode(error) === "ABORTED" || systemCode(error) === "WORK_BUSY") throw error;
        throw new ToolError("WEB_PAGE_UNREADABLE", `${url} could not be turned into text: ${errorText(error)}`, {
          hint: kind.type === "html" ? "Try format html, or the browser tool." : "Look for the same as a web page.",
          cause: error,
        });
      }
    },
    async close() {
      await Promise.all([pages.close(), pdfs.close()]);
    },
  };
}

function toPageText(page: ReadPage, format: "markdown" | "text"): RenderedText {
  const { title, byline, siteName, publishedTime, text, isCut, needsScripts, wantsLogin } = page;
  const about = [byline, siteName, publishedTime].filter((part) => part !== undefined).join(" · ");
  const heading = format === "markdown" && title !== "" ? `# ${title}` : title;
  // Most articles begin with their title; it is said once.
  const body = `${text}\n`.startsWith(`${heading}\n`) ? text.slice(heading.length).trimStart() : text;
  const whole = [heading, about, body].filter((part) => part !== "").join("\n\n");
  const remark = wantsLogin
    ? "The page seems to ask for a login; the browser tool may help."
    : needsScripts
      ? "The page shows hardly any text without running its scripts; the browser tool may help."
      : undefined;
  return { text: whole, isCut, title, ...(remark === undefined ? {} : { remark }) };
}

function toPdfText({ title, pages }: ReadPdf): RenderedText {
  const texts = pages.map((text, index) => `[page ${index + 1} of ${pages.length}]\n${text.trim()}`);
  const hasText = pages.some((text) => text.trim() !== "");
  const whole = [title, ...texts].filter((part) => part !== "").join("\n\n");
  const remark = hasText ? undefined : "The PDF has no text in it; its pages are probably pictures.";
  return { text: whole, isCut: false, title, ...(remark === undefined ? {} : { remark }) };
}
