/** Gets the picture that `image` is asked about: a file of the workspace, or what lies at an address. */
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { createOutsideCheck, type OwnChat } from "../kit/outside-file.ts";

/** HTTP under the address rules: only to public addresses, every redirect checked (the web tools' guarded fetch). */
export type FetchUrl = (
  url: string,
  request: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
) => Promise<{ url: string; status: number; body: Uint8Array }>;

export interface LoadedImage {
  bytes: Uint8Array;
  /** Where it comes from, if that is outside the house. */
  outside?: string;
}

const maxBytes = 50 * 1024 * 1024;
const timeoutMs = 30_000;

export async function readImageFile(
  operations: Operations,
  path: string,
  ownChat: OwnChat | undefined,
): Promise<LoadedImage> {
  const real = await operations.resolve(path);
  const found = await operations.stat(real);
  if (found?.type !== "file") {
    throw new ToolError("FILE_NOT_FOUND", `"${path}" ${found === undefined ? "does not exist" : "is not a file"}`, {
      hint: "Look for it with ls or find.",
    });
  }
  if (found.size > maxBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" has ${formatBytes(found.size)}; images up to ${formatBytes(maxBytes)} can be used`,
      { hint: "Make a smaller copy of it with another program first." },
    );
  }
  const bytes = await operations.readFile(real, { offset: 0, maxBytes });
  const isFromOutside = await createOutsideCheck(operations, ownChat);
  return { bytes, ...(isFromOutside(real) ? { outside: path } : {}) };
}

export async function fetchImage(fetchUrl: FetchUrl, url: string, signal: AbortSignal): Promise<LoadedImage> {
  const answer = await fetchUrl(url, { maxBytes, timeoutMs, signal });
  if (answer.status < 200 || answer.status > 299) {
    throw new ToolError("IMAGE_NOT_FETCHED", `${answer.url} answered ${answer.status}`, {
      hint: "Check the address; it must lead to the picture itself, not to a page about it.",
    });
  }
  return { bytes: answer.body, outside: answer.url };
}
