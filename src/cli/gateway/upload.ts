/** Sends a file to the address that `files.upload` gave. The bytes are read as they go. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request } from "node:http";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { errorText, GatewayError } from "../../base/errors.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";

/** Gives the id to send along with the message. Throws `GATEWAY_UPLOAD_FAILED`. */
export async function upload(
  { client, baseUrl }: { client: GatewayClient; baseUrl: string },
  { path, sessionKey }: { path: string; sessionKey: string },
): Promise<string> {
  const { size } = await stat(path);
  const { uploadId, url } = await client.call("files.upload", { sessionKey, filename: basename(path), size });
  const { status, body } = await put(new URL(url, baseUrl), path, size).catch((error: unknown) => ({
    status: 0,
    body: errorText(error),
  }));
  if (status >= 200 && status < 300) return uploadId;
  throw new GatewayError("GATEWAY_UPLOAD_FAILED", `${path} was not taken (${status}): ${body.slice(0, 300)}`, {
    hint: "Is the file too large, or did it change while it was sent? `mom logs tail` may say more.",
  });
}

async function put(url: URL, path: string, size: number): Promise<{ status: number; body: string }> {
  const sent = request(url, { method: "PUT", headers: { "content-length": size } });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
  // A server that refuses answers and hangs up before everything is sent: its answer counts then.
  const written = pipeline(createReadStream(path, { end: Math.max(0, size - 1) }), sent);
  written.catch(() => undefined);
  return answered;
}
