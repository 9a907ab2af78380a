/** The parameters of a call, however they are sent: JSON, a form, a query, or multipart with files behind `attach://`. */
import type { IncomingMessage } from "node:http";

export interface SentFile {
  filename: string;
  bytes: Buffer;
}

/** Files stand where their `attach://` name stood. */
export type Params = Record<string, unknown>;

export async function readParams(request: IncomingMessage): Promise<Params> {
  const query = Object.fromEntries(new URL(request.url ?? "/", "http://localhost").searchParams);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (body.length === 0) return query;
  if (type.startsWith("application/json")) return { ...query, ...(JSON.parse(body.toString("utf8")) as Params) };
  const boundary = /boundary=(.+)$/.exec(type)?.[1];
  if (boundary !== undefined) return { ...query, ...readMultipart(body, boundary) };
  return { ...query, ...readTexts(Object.fromEntries(new URLSearchParams(body.toString("utf8")))) };
}

function readMultipart(body: Buffer, boundary: string): Params {
  const files = new Map<string, SentFile>();
  const texts: Record<string, string> = {};
  const mark = `--${boundary}`;
  for (let at = body.indexOf(mark); at >= 0; ) {
    const start = at + mark.length + 2;
    const end = body.indexOf(`\r\n${mark}`, start);
    const headEnd = body.indexOf("\r\n\r\n", start);
    if (end < 0 || headEnd < 0 || headEnd > end) break;
    const head = body.subarray(start, headEnd).toString("utf8");
    const content = body.subarray(headEnd + 4, end);
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? "";
    const filename = /filename="?([^"\r\n]*)"?/.exec(head)?.[1];
    if (filename === undefined) texts[name] = content.toString("utf8");
    else files.set(name, { filename, bytes: Buffer.from(content) });
    at = end + 2;
  }
  const params = readTexts(texts);
  for (const [key, value] of Object.entries(params)) {
    if (typeof value === "string" && value.startsWith("attach://")) params[key] = files.get(value.slice(9));
  }
  return params;
}

const words = new Set(["text", "caption", "question"]);

/** In forms everything is text, and structures are JSON within it. */
function readTexts(texts: Record<string, string>): Params {
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => {
      if (words.has(key) || !/^(?:[[{]|-?\d+$|true$|false$)/.test(value)) return [key, value];
      try {
        return [key, JSON.parse(value) as unknown];
      } catch {
        return [key, value];
      }
    }),
  );
}
