/** The thread that reads the text of PDF files. */
import { serveWorker } from "../../base/serve-worker.ts";
import { loadPdfReader } from "./catalog.ts";

export interface ReadPdf {
  title: string;
  /** One text per page. */
  pages: string[];
}

serveWorker(async ({ body }: { body: Uint8Array }): Promise<ReadPdf> => {
  const { extractText, getDocumentProxy, getMeta } = await loadPdfReader();
  const pdf = await getDocumentProxy(new Uint8Array(body));
  const { text } = await extractText(pdf, { mergePages: false });
  const { info } = await getMeta(pdf);
  const title: unknown = info["Title"];
  return { title: typeof title === "string" ? title : "", pages: text };
});
