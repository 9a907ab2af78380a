/**
 * An endpoint for pictures and speech on loopback, with OpenAI's wire formats: `POST /v1/images/generations`,
 * `POST /v1/audio/speech`, and the files that an answer points to. Plays a script, faults included, and keeps what it was asked.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type MediaReply =
  /** The picture in the answer. */
  | { type: "picture"; bytes: Uint8Array }
  /** The answer names where it is; a path of this server or a whole address. */
  | { type: "address"; url: string }
  | { type: "sound"; bytes: Uint8Array; contentType?: string }
  | { type: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** A 200 that is no answer. */
  | { type: "garbage"; body: string; contentType?: string }
  /** So many bytes of zeros, written as fast as they are taken. */
  | { type: "oversize"; bytes: number; contentType: string }
  /** The answer begins and breaks off. */
  | { type: "cut" }
  /** Takes the request and never says anything. */
  | { type: "silence" };

export interface MediaRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** Resolves when the connection is gone, from whichever side. */
  closed: Promise<void>;
}

export interface MediaServer {
  /** Ends in `/v1`, as clients want it. */
  url: string;
  requests: MediaRequest[];
  /** What the next requests get, in order. */
  replies: MediaReply[];
  /** By path; asked for with GET. */
  files: Map<string, Uint8Array>;
  /** May be called twice. */
  close(): Promise<void>;
}

export async function createMediaServer(): Promise<MediaServer> {
  const requests: MediaRequest[] = [];
  const replies: MediaReply[] = [];
  const files = new Map<string, Uint8Array>();
  let origin = "";

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? "/";
    const closed = once(response, "close").then(() => undefined);
    const method = incoming.method ?? "";
    requests.push({ method, path, headers: incoming.headers, body: await readJson(incoming), closed });
    if (method === "GET") {
      const file = files.get(path);
      return file === undefined ? end(response, 404, "text/plain", "none") : end(response, 200, "image/png", file);
    }
    const reply = replies.shift() ?? { type: "status", status: 500, body: "the script is used up" };
    await play(reply, response, origin);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/v1`,
    requests,
    replies,
    files,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function play(reply: MediaReply, response: ServerResponse, origin: string): Promise<void> {
  switch (reply.type) {
    case "picture":
      return endJson(response, { created: 0, data: [{ b64_json: Buffer.from(reply.bytes).toString("base64") }] });
    case "address":
      return endJson(response, { created: 0, data: [{ url: new URL(reply.url, origin).href }] });
    case "sound":
      return end(response, 200, reply.contentType ?? "audio/mpeg", reply.bytes);
    case "status":
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(reply.body ?? "");
      return;
    case "garbage":
      return end(response, 200, reply.contentType ?? "application/json", reply.body);
    case "oversize":
      return pour(reply, response);
    case "cut":
      response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "1000" });
      response.write("half");
      setImmediate(() => response.destroy());
      return;
    case "silence":
  }
}

async function pour({ bytes, contentType }: { bytes: number; contentType: string }, response: ServerResponse) {
  const part = new Uint8Array(256 * 1024);
  const gone = once(response, "close");
  response.writeHead(200, { "content-type": contentType });
  for (let left = bytes; left > 0 && !response.destroyed; left -= part.length) {
    if (response.write(part)) continue;
    const drained = Promise.withResolvers<void>();
    response.once("drain", drained.resolve);
    await Promise.race([drained.promise, gone]);
  }
  response.end();
}

const endJson = (response: ServerResponse, body: object) =>
  end(response, 200, "application/json", JSON.stringify(body));

function end(response: ServerResponse, status: number, contentType: string, body: string | Uint8Array): void {
  response.writeHead(status, { "content-type": contentType });
  response.end(body);
}

async function readJson(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
