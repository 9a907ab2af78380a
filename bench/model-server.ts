/**
 * The model of the benches, in a process of its own: Chat Completions as server-sent events on loopback, answered at once with
 * ready-made bytes, so that what is measured is mom. Started by start-model.ts, ends with its parent.
 *
 * `/v1` answers in words. `/tool/v1` asks for one `echo` through bash first, then answers in words.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sseFrame } from "../test/fakes/model-server.ts";
import { replyText } from "./reply-text.ts";

export interface ModelStarted {
  url: string;
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
function buildToolCall(): string {
  const call = { name: "bash", arguments: JSON.stringify({ command: "echo bench" }) };
  const delta = {
    role: "assistant",
    tool_calls: [{ index: 0, id: `call_${++calls}`, type: "function", function: call }],
  };
  return chunk(delta, null) + chunk({}, "tool_calls") + ending;
}

/** By position, because parsing a long history would cost time that is not mom's. Quotes inside texts are escaped. */
const endsInToolResult = (body: string) => body.lastIndexOf('"role":"tool"') > body.lastIndexOf('"role":"user"');

let lastBody = "";

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    response.end(lastBody);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part);
  lastBody = Buffer.concat(chunks).toString();
  const wantsTool = request.url?.startsWith("/tool/") === true && !endsInToolResult(lastBody);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(wantsTool ? buildToolCall() : answer);
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
