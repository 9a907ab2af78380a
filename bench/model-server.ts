/**
 * The model of the benches, in a process of its own: Chat Completions as server-sent events on loopback, answered at once with
 * ready-made bytes, so that what is measured is mom. Started by start-model.ts, ends with its parent.
 *
 * `/v1` answers in words. `/tool/v1` asks for one `echo` through bash first, then answers in words. `/asked/v1` calls the
 * tool that the last message names (asked-call.ts), if it names one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sseFrame } from "../test/fakes/model-server.ts";
import { type AskedCall, findAskedCall } from "./asked-call.ts";
import { replyText } from "./reply-text.ts";

export interface ModelStarted {
  url: string;
}

/** What it has been sent since it started. */
export interface ModelTally {
  requests: number;
  /** Of the bodies. */
  bytes: number;
}

const chunk = (delta: object, finishReason: string | null) =>
  sseFrame({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
const ending =
  sseFrame({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
  }) + sseFrame("[DONE]");
const answer = chunk({ role: "assistant", content: replyText }, null) + chunk({}, "stop") + ending;

let calls = 0;
/** Each call has its own id: providers promise that, and transcripts rely on it. */
function buildToolCall({ name, args }: AskedCall): string {
  const call = { name, arguments: JSON.stringify(args) };
  const delta = {
    role: "assistant",
    tool_calls: [{ index: 0, id: `call_${++calls}`, type: "function", function: call }],
  };
  return chunk(delta, null) + chunk({}, "tool_calls") + ending;
}

/** By position, because parsing a long history would cost time that is not mom's. Quotes inside texts are escaped. */
const endsInToolResult = (body: string) => body.lastIndexOf('"role":"tool"') > body.lastIndexOf('"role":"user"');
const lastUserMessage = (body: string) => body.slice(body.lastIndexOf('"role":"user"'));

function pickCall(url: string, body: string): AskedCall | undefined {
  if (endsInToolResult(body)) return undefined;
  if (url.startsWith("/tool/")) return { name: "bash", args: { command: "echo bench" } };
  return url.startsWith("/asked/") ? findAskedCall(lastUserMessage(body)) : undefined;
}

let lastBody = "";
const tally: ModelTally = { requests: 0, bytes: 0 };

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    response.end(request.url === "/tally" ? JSON.stringify(tally) : lastBody);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part);
  const bytes = Buffer.concat(chunks);
  lastBody = bytes.toString();
  tally.requests++;
  tally.bytes += bytes.length;
  const call = pickCall(request.url ?? "", lastBody);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(call ? buildToolCall(call) : answer);
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => response.destroy());
});
// A connection that is closed while a slow bench rests would show as a retry.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` } satisfies ModelStarted);
});
process.on("disconnect", () => process.exit());
