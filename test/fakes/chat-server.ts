/**
 * A small chat platform on loopback, as real ones behave: people's messages wait until the bot has acknowledged them
 * (and come again until then), posts can be deduplicated by nonce, looked up, or neither, and calls can fail after they
 * have taken effect. It lives in the test's process, so it remembers what a killed bot has done.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PlatformMessage {
  id: string;
  channel: string;
  user: string;
  text: string;
  mention: boolean;
}

export interface PlatformPost {
  id: string;
  channel: string;
  nonce: string;
  text: string;
}

/** What happens to the next post instead of an answer. */
export type PostFault = { type: "status"; status: number; retryAfterMs?: number } | { type: "lost-answer" };

export interface ChatServer {
  url: string;
  posts: PlatformPost[];
  /** A person writes. The same message may be said twice: platforms do deliver twice. */
  say(message: PlatformMessage): void;
  failNextPost(fault: PostFault): void;
  /** Resolves when `isDone` holds; looked at after every change. */
  until(isDone: () => boolean): Promise<void>;
  readonly unacknowledged: number;
  close(): Promise<void>;
}

export async function createChatServer(options: { nonce: "enforced" | "searchable" | "ignored" }): Promise<ChatServer> {
  const posts: PlatformPost[] = [];
  const faults: PostFault[] = [];
  let inbox: PlatformMessage[] = [];
  let polls: ServerResponse[] = [];
  let waiters: { isDone: () => boolean; resolve: () => void }[] = [];

  const changed = () => {
    for (const waiter of waiters) if (waiter.isDone()) waiter.resolve();
    waiters = waiters.filter((waiter) => !waiter.isDone());
  };
  const answerPolls = () => {
    if (inbox.length === 0) return;
    for (const poll of polls) send(poll, 200, inbox);
    polls = [];
  };
  const post = (body: PlatformPost): PlatformPost => {
    const known = options.nonce === "enforced" ? posts.find((each) => each.nonce === body.nonce) : undefined;
    if (known) return known;
    const made = { ...body, id: `P${posts.length + 1}` };
    posts.push(made);
    return made;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/updates") {
      if (inbox.length > 0) return send(response, 200, inbox);
      polls.push(response);
      return;
    }
    if (url.pathname === "/search") {
      const found = posts.find((each) => each.nonce === url.searchParams.get("nonce"));
      return send(response, 200, options.nonce === "ignored" ? [] : found ? [found] : []);
    }
    const body = await readJson(request);
    if (url.pathname === "/ack") {
      inbox = inbox.filter((message) => message.id !== body["id"]);
      send(response, 200, {});
      return changed();
    }
    const fault = faults.shift();
    if (fault?.type === "status") {
      const headers = fault.retryAfterMs === undefined ? {} : { "retry-after-ms": String(fault.retryAfterMs) };
      return send(response, fault.status, {}, headers);
    }
    const made = post(body as unknown as PlatformPost);
    if (fault?.type === "lost-answer") response.destroy();
    else send(response, 200, made);
    changed();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    say(message) {
      inbox.push(message);
      answerPolls();
    },
    failNextPost: (fault) => void faults.push(fault),
    until: (isDone) =>
      new Promise((resolve) => {
        if (isDone()) resolve();
        else waiters.push({ isDone, resolve });
      }),
    get unacknowledged() {
      return inbox.length;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
