/** `/files/<ticket>`: PUT what was announced, GET what was asked for. The ticket is judged before a byte of the body is read. */
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { Exchange, Route } from "../parts.ts";
import { GatewayFault } from "../protocol/index.ts";
import { answerJson } from "./answer.ts";
import type { TicketOffice, Upload } from "./file-tickets.ts";
import { buildDisposition, pickFileType } from "./file-type.ts";
import { readPieces } from "./read-body.ts";
import { sendFile } from "./send-file.ts";

interface FileRoutesDeps {
  tickets: Pick<TicketOffice, "upload" | "keep" | "download">;
  house: Pick<GatewayHouse, "store" | "chatOf">;
  clock: Clock;
}

/** Opened by itself, a file is nobody's page: no scripts, no origin. */
const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'";

export function createFileRoutes({ tickets, house, clock }: FileRoutesDeps): Route[] {
  const save = ({ request, response }: Exchange, { sessionKey, filename, size, mimeType }: Upload) =>
    house.store.channels.saveAttachment(house.chatOf(sessionKey), {
      filename,
      data: readExactly({ request, response, clock }, size),
      maxBytes: size,
      ...(mimeType !== undefined && { mimeType }),
    });

  const put = async (exchange: Exchange) => {
    const ticket = ticketOf(exchange.path);
    const upload = tickets.upload(ticket);
    if (upload?.state !== "open") throw notFound();
    const announced = exchange.request.headers["content-length"];
    if (announced !== undefined && Number(announced) !== upload.size) throw otherSize(upload.size);
    upload.state = "coming";
    try {
      tickets.keep(ticket, await save(exchange, upload));
    } catch (error) {
      // The line broke: the same address may be tried again.
      upload.state = "open";
      throw error;
    }
    answerJson(exchange.response, 201, { uploadId: ticket });
  };

  const get = async ({ request, response, path }: Exchange) => {
    const download = tickets.download(ticketOf(path));
    const found = await download?.open();
    if (!download || !found) throw notFound();
    const { file, size, imageType } = found;
    const range = parseRange(request, size);
    response.writeHead(range ? 206 : 200, {
      "Content-Type": pickFileType(download.filename, imageType),
      "Content-Length": range ? range.end - range.start : size,
      "Content-Disposition": buildDisposition(download.filename, imageType !== undefined),
      "Content-Security-Policy": filePolicy,
      "Cache-Control": "private, no-store",
      "Accept-Ranges": "bytes",
      ...(range && { "Content-Range": `bytes ${range.start}-${range.end - 1}/${size}` }),
    });
    const whole = { start: 0, end: request.method === "HEAD" ? 0 : size };
    await sendFile(response, file, request.method === "HEAD" ? whole : (range ?? whole), clock);
  };

  const common = { path: "/files/*", auth: "none" } as const;
  return [
    { ...common, method: "PUT", handle: put },
    { ...common, method: "GET", handle: get },
  ];
}

async function* readExactly(source: Parameters<typeof readPieces>[0], size: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of readPieces(source, size)) {
    total += piece.length;
    yield piece;
  }
  if (total !== size) throw otherSize(size);
}

const ticketOf = (path: string) => path.slice("/files/".length);

/** One range, as players ask for it; anything else is answered with the whole file. */
function parseRange({ headers }: IncomingMessage, size: number): { start: number; end: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  return start < end ? { start, end } : undefined;
}

const notFound = () => new GatewayFault({ code: "NOT_FOUND", message: "Nothing is here, or not any more." });
const otherSize = (size: number) =>
  new GatewayFault({ code: "INVALID_REQUEST", message: `${size} bytes were announced, and others came.` });
