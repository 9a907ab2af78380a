/** `web_fetch`: a page as readable text, in pieces; also PDF files, pictures and plain data. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import type { ImageWork } from "../kit/image-work.ts";
import { maxResultBytes } from "../kit/limits.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { cutPiece } from "./cut-piece.ts";
import type { Page, PageSource } from "./page-source.ts";
import { showImage } from "./show-image.ts";

const parameters = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 8192 }),
    format: Type.Optional(Type.Enum(["markdown", "text", "html"], { type: "string", description: "Default markdown" })),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "Characters to skip, to go on" })),
    maxChars: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
type Params = Static<typeof parameters>;

export interface WebFetchDetails {
  url: string;
  status: number;
  contentType: string;
  bytes: number;
  title?: string;
}

const errorBodyChars = 2000;

export interface WebFetchDependencies {
  source: PageSource;
  imageWork: Pick<ImageWork, "resize">;
}

export function createWebFetchTool({
  source,
  imageWork,
}: WebFetchDependencies): Tool<typeof parameters, WebFetchDetails> {
  return {
    name: "web_fetch",
    label: "Fetch",
    description: `Read a web page, PDF, picture or data file at a public http(s) address. Gives the article or main part; cut at ${formatBytes(maxResultBytes)}, go on with offset.`,
    parameters,
    effect: "read",
    describe: ({ url }) => `fetch ${url}`,
    async execute(_id, params, signal) {
      const page = await source.load(toAddress(params.url), signal);
      if (page.status >= 300) return showFailure(source, page, signal);
      if (page.kind.type === "image") {
        const content = await showImage(imageWork, page, page.kind.mimeType, signal);
        return { content, details: toDetails(page), outside: page.url };
      }
      if (page.kind.type === "binary") throw refuseBinary(page, page.kind.mimeType);
      return showText(source, page, params, signal);
    },
  };
}

/** Models often leave out the protocol. */
const toAddress = (url: string) => (/^[\w-]+(\.[\w-]+)+(?:[/?#:]|$)/.test(url.trim()) ? `https://${url.trim()}` : url);

async function showText(source: PageSource, page: Page, params: Params, signal: AbortSignal) {
  const { format = "markdown", offset = 0, maxChars } = params;
  const wanted = { enoughChars: offset + maxResultBytes, signal };
  const { text, isCut, title, remark } = await source.render(page, format, wanted);
  if (offset > 0 && offset >= text.length) {
    throw new ToolError(
      "WEB_BEYOND_END",
      `${page.url} has ${text.length} characters of text; ${offset} is beyond them`,
      {
        hint: "Use a smaller offset.",
      },
    );
  }
  const { text: piece, next = isCut ? text.length : undefined } = cutPiece(text, offset, maxChars);
  const total = `${isCut ? "more than " : ""}${text.length}`;
  const notices = [
    remark,
    next === undefined ? undefined : `Characters ${offset}-${next - 1} of ${total}. Go on with offset=${next}.`,
  ].filter((notice) => notice !== undefined);
  const shown = piece.trim() === "" ? "(no text)" : piece;
  const details = { ...toDetails(page), ...(title === "" ? {} : { title }) };
  const notice = notices.length === 0 ? undefined : notices.join(" ");
  return { ...buildTextResult(markOutside(shown, page.url), details, notice), outside: page.url };
}

/** A failure of the other side is an answer: what it said, and a bit of how. */
async function showFailure(source: PageSource, page: Page, signal: AbortSignal): Promise<ToolResult<WebFetchDetails>> {
  const hasText = page.kind.type === "html" || page.kind.type === "text";
  const rendered = hasText ? await source.render(page, "text", { enoughChars: errorBodyChars, signal }) : undefined;
  const said = rendered === undefined ? "" : cutPiece(rendered.text, 0, errorBodyChars).text;
  const help = failureHelp[page.status];
  const line = `${page.url} answered with HTTP status ${page.status}.${help === undefined ? "" : ` ${help}`}`;
  const text = said.trim() === "" ? line : `${line}\n\n${markOutside(said, page.url)}`;
  return { ...buildTextResult(text, toDetails(page)), outside: page.url };
}

const failureHelp: Readonly<Record<number, string>> = {
  401: "It asks for a login; the browser tool may help.",
  403: "It refuses programs or wants a login; the browser tool may help.",
  404: "There is no such page; search for its new place.",
  410: "The page is gone for good.",
  429: "Too many requests; try again later.",
  503: "It is overloaded or refuses programs; try later, or the browser tool.",
};

const refuseBinary = (page: Page, mimeType: string) =>
  new ToolError(
    "WEB_TYPE_REFUSED",
    `${page.url} is ${mimeType} (${formatBytes(page.bytes.length)}), which cannot be read as text`,
    { hint: "web_fetch reads pages, text, data, PDF files and png, jpeg, gif and webp pictures." },
  );

const toDetails = ({ url, status, contentType, bytes }: Page): WebFetchDetails => ({
  url,
  status,
  contentType,
  bytes: bytes.length,
});
