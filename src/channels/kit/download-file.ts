/**
 * Fetches a file that somebody sent, from the platform's servers into the chat's folder. The address comes from the platform;
 * what may be a trap all the same (redirects, sizes that lie, login pages, answers that never end) ends as a note for the
 * message's text: a message is never lost because of a file.
 */
import { errorText, systemCode } from "../../base/errors.ts";
import { formatBytes } from "../../base/format-values.ts";
import { retryAsync } from "../../base/retry.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import { isLoopback, isSafeUrl } from "./api-url.ts";
import { neutraliseLine } from "./neutralise.ts";

export interface DownloadRequest {
  url: string;
  /** As the sender called it. */
  filename: string;
  /** As the platform says. */
  mimeType?: string;
  /** Bytes, as the platform says. */
  size?: number;
  maxBytes: number;
  /** Sent only to the origin of `url`; whoever names a token here makes sure that this is the platform's own. */
  headers?: Record<string, string>;
  /** For the whole of it. */
  timeoutMs: number;
  /** Stops it; the note then says so. */
  signal?: AbortSignal;
}

export interface DownloadDeps {
  clock: Clock;
  /** `ChannelDeps.saveAttachment`, for the chat that the file was sent to. */
  save(file: {
    filename: string;
    data: AsyncIterable<Uint8Array>;
    mimeType?: string;
    maxBytes: number;
  }): Promise<ChannelAttachment>;
}

export type DownloadResult =
  | { type: "saved"; attachment: ChannelAttachment }
  /** A line for the text: `(file "x.pdf", 30 MiB: larger than 20 MiB, not fetched)`. */
  | { type: "failed"; note: string };

const mostHops = 5;
const retries = { maxRetries: 2, minDelayMs: 500, maxDelayMs: 5_000, jitter: 0.3, maxRetryAfterMs: 10_000 };

/** Why there is no file, in words for people. `isPassing`: another try may have one. */
class Fault extends Error {
  readonly isPassing: boolean;
  constructor(reason: string, isPassing = false) {
    super(reason);
    this.isPassing = isPassing;
  }
}

/** As offers of messages are repeated: both wait for the same disk. */
const diskPauseMs = 5_000;
const diskCodes = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE"];

/** Never rejects. A full disk is waited for until `signal` aborts. */
export async function downloadFile(request: DownloadRequest, { clock, save }: DownloadDeps): Promise<DownloadResult> {
  const { filename, size, maxBytes, timeoutMs } = request;
  if (size !== undefined && size > maxBytes) return failed(request, tooLarge(maxBytes).message);
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => {
    timeout.abort(new Fault(`it took longer than ${Math.round(timeoutMs / 1_000)} s`));
  });
  const signal = request.signal ? AbortSignal.any([timeout.signal, request.signal]) : timeout.signal;
  const fetchOnce = async () => {
    const { response, mimeType } = await openResponse(request, signal);
    const data = readCapped(response, maxBytes);
    return save({ filename, data, maxBytes, ...(mimeType !== undefined && { mimeType }) });
  };
  try {
    const isRetryable = (error: unknown) => isPassing(error) && !signal.aborted;
    const attachment = await retryAsync(fetchOnce, { ...retries, clock, signal, isRetryable });
    return { type: "saved", attachment };
  } catch (error) {
    // Nothing is wrong with the file: it waits, and its message with it, until the disk takes files again.
    if (isDiskFault(error) && !request.signal?.aborted) return await waitForDisk(request, { clock, save });
    return failed(request, toReason(signal.aborted ? signal.reason : error, maxBytes));
  } finally {
    cancel();
    // A body that nobody reads any more holds its connection.
    timeout.abort(new Fault("it is over"));
  }
}

async function waitForDisk(request: DownloadRequest, deps: DownloadDeps): Promise<DownloadResult> {
  await deps.clock.sleep(diskPauseMs, request.signal).catch(() => undefined);
  return downloadFile(request, deps);
}

async function openResponse(request: DownloadRequest, signal: AbortSignal) {
  const first = parseAddress(request.url);
  const response = await followRedirects(first, request.headers ?? {}, signal);
  const found = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const declared = Number(response.headers.get("content-length") ?? 0);
  const fault =
    toStatusFault(response.status) ??
    (declared > request.maxBytes ? tooLarge(request.maxBytes) : undefined) ??
    (found === "text/html" && !expectsHtml(request)
      ? new Fault("a web page came instead of it; may mom's login read files?")
      : undefined);
  if (fault) {
    await response.body?.cancel().catch(() => undefined);
    throw fault;
  }
  return { response, mimeType: request.mimeType ?? found };
}

async function followRedirects(first: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let url = first;
  for (let hops = 0; hops <= mostHops; hops++) {
    const own = url.origin === first.origin ? headers : {};
    const response = await fetch(url, { headers: own, redirect: "manual", signal });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    url = parseAddress(location, url);
    if (isLoopback(url) && !isLoopback(first)) throw new Fault("its address leads to this machine");
  }
  throw new Fault(`it was redirected more than ${mostHops} times`);
}

function parseAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || !url.protocol.startsWith("http") || !isSafeUrl(url)) throw new Fault("its address is not safe");
  return url;
}

function toStatusFault(status: number): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  return new Fault(`the platform answered with status ${status}`, status === 429 || status >= 500);
}

const expectsHtml = ({ mimeType, filename }: DownloadRequest) =>
  mimeType === undefined ? /\.html?$/i.test(filename) : /^(?:text\/html|application\/xhtml)/i.test(mimeType);

async function* readCapped({ body }: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (maxBytes: number) => new Fault(`larger than ${formatBytes(maxBytes)}`);

const isDiskFault = (error: unknown) => diskCodes.includes(systemCode(error) ?? "");

/** What `fetch` throws itself is a connection that failed. */
const isPassing = (error: unknown) => (error instanceof Fault ? error.isPassing : error instanceof TypeError);

function toReason(error: unknown, maxBytes: number): string {
  if (error instanceof Fault) return error.message;
  if (systemCode(error) === "ATTACHMENT_TOO_LARGE") return tooLarge(maxBytes).message;
  if (error instanceof TypeError) return "the connection failed";
  return systemCode(error) ?? errorText(error);
}

function failed({ filename, size }: DownloadRequest, reason: string): DownloadResult {
  const name = neutraliseLine(filename).slice(0, 120).toWellFormed();
  const length = size === undefined ? "" : `, ${formatBytes(size)}`;
  return { type: "failed", note: `(file "${name}"${length}: ${neutraliseLine(reason).slice(0, 200)}, not fetched)` };
}
