/** Files that people sent → the chat's folder. What cannot be had becomes a note in the text. */
import { formatBytes } from "../../base/format-values.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import type { ChannelDeps } from "../definition.ts";
import { downloadFile } from "../kit/download-file.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import { telegramCapabilities } from "./capabilities.ts";
import type { TelegramClient } from "./client.ts";
import type { IncomingFile } from "./content.ts";
import { formatFailure } from "./failure.ts";
import { attempt } from "./text-calls.ts";

export interface Downloads {
  /** Never rejects. */
  fetchAll(channelId: string, files: IncomingFile[]): Promise<{ attachments: ChannelAttachment[]; notes: string[] }>;
}

export interface DownloadsDeps extends Pick<ChannelDeps, "saveAttachment"> {
  client: TelegramClient;
  clock: Clock;
  /** Ends what is under way. */
  signal: AbortSignal;
}

/** The other chats wait for it too: nothing later is acknowledged before. */
const timeoutMs = 45_000;
const maxBytes = telegramCapabilities.maxDownloadBytes;
const retryAfterMs = 1_000;

export function createDownloads({ client, clock, saveAttachment, signal }: DownloadsDeps): Downloads {
  /** The path under which Telegram serves a file; asked again once where the answer was lost. */
  async function askPath(fileId: string) {
    const ask = () => attempt(() => client.api.getFile({ file_id: fileId }));
    const result = await ask();
    const isLasting = result.type === "done" || (result.failure.type === "refused" && result.failure.code === 400);
    if (isLasting) return result;
    await clock.sleep(retryAfterMs, signal).catch(() => undefined);
    return ask();
  }
  async function fetchOne(channelId: string, { fileId, ...file }: IncomingFile) {
    const isTooLarge = file.size !== undefined && file.size > maxBytes;
    const found = isTooLarge ? undefined : await askPath(fileId);
    if (found?.type === "failed")
      return { type: "failed" as const, note: formatNote(file, formatFailure(found.failure)) };
    const url = client.fileUrl(found?.value.file_path ?? "");
    const save = (data: Parameters<typeof saveAttachment>[1]) => saveAttachment(channelId, data);
    return downloadFile({ ...file, url, maxBytes, timeoutMs, signal }, { clock, save });
  }
  return {
    async fetchAll(channelId, files) {
      const results = await Promise.all(files.map((file) => fetchOne(channelId, file)));
      return {
        attachments: results.flatMap((result) => (result.type === "saved" ? [result.attachment] : [])),
        notes: results.flatMap((result) => (result.type === "failed" ? [result.note] : [])),
      };
    },
  };
}

function formatNote({ filename, size }: Pick<IncomingFile, "filename" | "size">, reason: string): string {
  const length = size === undefined ? "" : `, ${formatBytes(size)}`;
  return `(file "${neutraliseLine(filename).slice(0, 120).toWellFormed()}"${length}: ${neutraliseLine(reason)}, not fetched)`;
}
