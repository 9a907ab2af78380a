/** The thread that reads HTML pages: decoding, extraction and conversion would hold the event loop for too long. */
import { serveWorker } from "../../base/serve-worker.ts";
import { loadPageReader } from "./catalog.ts";
import { decodeText } from "./decode-text.ts";
import { type ReadPage, readPage } from "./read-page.ts";

export interface WebPageJob {
  body: Uint8Array;
  contentType: string;
  url: string;
  format: "markdown" | "text";
  enoughChars: number;
}

serveWorker(async ({ body, contentType, ...job }: WebPageJob): Promise<ReadPage> => {
  const reader = await loadPageReader();
  return readPage({ ...job, html: decodeText(body, contentType) }, reader);
});
