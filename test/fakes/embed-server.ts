/**
 * Embedding services on loopback, each in its own words: OpenAI's `/embeddings`, Google's `batchEmbedContents`, Ollama's
 * `/api/embed`. Vectors are made of the words of a text, so that texts with words in common are near each other. Faults are played
 * once each, in order, before it answers rightly again.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { TestContext } from "node:test";

export type EmbedFault =
  | { type: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** The answer begins and the connection ends. */
  | { type: "cut" }
  /** Takes the request and says nothing. */
  | { type: "silence" }
  /** What would have been answered, changed. */
  | { type: "lists"; change(lists: unknown[]): unknown }
  | { type: "body"; body: string };

export interface SeenEmbedRequest {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  texts: string[];
}

export interface EmbedServer {
  url: string;
  requests: SeenEmbedRequest[];
  faults: EmbedFault[];
  /** Of the vectors it makes; may be changed while it runs. */
  dimensions: number;
  /** Resolves when so many requests have come. */
  seen(count: number): Promise<void>;
}

/** How a service says what it has. */
interface Shape {
  path: RegExp;
  readTexts(body: Record<string, unknown>): string[];
  write(lists: unknown): unknown;
}

const shapes = {
  openai: {
    path: /^\/v1\/embeddings$/,
    readTexts: (body) => body["input"] as string[],
    // Last first: the order is in `index`, and nowhere else.
    write: (lists) =>
      Array.isArray(lists)
        ? {
            object: "list",
            data: lists.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse(),
          }
        : lists,
  },
  gemini: {
    path: /^\/v1beta\/models\/[\w.%-]+:batchEmbedContents$/,
    readTexts: (body) =>
      (body["requests"] as { content: { parts: { text: string }[] } }[]).map(
        ({ content }) => content.parts[0]?.text ?? "",
      ),
    write: (lists) => (Array.isArray(lists) ? { embeddings: lists.map((values) => ({ values })) } : lists),
  },
  ollama: {
    path: /^\/api\/embed$/,
    readTexts: (body) => body["input"] as string[],
    write: (lists) => (Array.isArray(lists) ? { model: "m", embeddings: lists, total_duration: 1 } : lists),
  },
} satisfies Record<string, Shape>;

export async function createEmbedServer(test: TestContext, kind: keyof typeof shapes): Promise<EmbedServer> {
  const shape: Shape = shapes[kind];
  const faults: EmbedFault[] = [];
  const requests: SeenEmbedRequest[] = [];
  const waiting: { count: number; resolve(): void }[] = [];
  const server = createServer(async (request, response) => {
    const seen = await readRequest(request, shape);
    requests.push(seen);
    for (const each of waiting) if (requests.length >= each.count) each.resolve();
    if (!shape.path.test(seen.path)) return send(response, 404, "not found");
    answer(response, faults.shift(), shape, made.dimensions, seen.texts);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const made: EmbedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    dimensions: 64,
    seen: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.push({ count, resolve })),
  };
  return made;
}

async function readRequest(request: IncomingMessage, shape: Shape): Promise<SeenEmbedRequest> {
  const body = JSON.parse(await readText(request)) as Record<string, unknown>;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const path = request.url ?? "";
  return { path, headers, body, texts: shape.path.test(path) ? shape.readTexts(body) : [] };
}

function answer(
  response: ServerResponse,
  fault: EmbedFault | undefined,
  shape: Shape,
  dimensions: number,
  texts: readonly string[],
): void {
  const lists: unknown[] = texts.map((text) => toWordVector(text, dimensions));
  const isCut = fault?.type === "cut";
  if (fault?.type === "silence") return;
  if (fault?.type === "status") send(response, fault.status, fault.body ?? "", fault.headers);
  else if (fault?.type === "body") send(response, 200, fault.body);
  else if (fault?.type === "lists") send(response, 200, JSON.stringify(shape.write(fault.change(lists))));
  else sendVectors(response, JSON.stringify(shape.write(lists)), isCut);
}

function sendVectors(response: ServerResponse, body: string, isCut: boolean): void {
  if (!isCut) {
    send(response, 200, body);
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

/** Each word turns a number up: the same words, the same direction. Not of unit length. */
function toWordVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const at =
      [...word].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7) % dimensions;
    vector[at] = (vector[at] ?? 0) + 3;
  }
  return vector;
}
