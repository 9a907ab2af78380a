/** Files that people send on Slack → the chat's folder. The token goes to Slack's own servers only. */
import type { Clock } from "../../contracts/clock.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import type { ChannelDeps } from "../definition.ts";
import { downloadFile } from "../kit/download-file.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackClient } from "./client.ts";
import { parseFile, type WireFile } from "./wire.ts";

export interface Fetched {
  attachments: ChannelAttachment[];
  /** Lines for the text: what could not be had, and why. */
  notes: string[];
}

export interface AttachmentDeps {
  clock: Clock;
  client: Pick<SlackClient, "call" | "isOwnHost" | "signal">;
  botToken: string;
  saveAttachment: ChannelDeps["saveAttachment"];
}

/** Of one message, together. */
const timeoutMs = 60_000;
const mostFiles = 20;

/** Never rejects. */
export async function fetchFiles(
  deps: AttachmentDeps,
  channelId: string,
  files: readonly WireFile[],
): Promise<Fetched> {
  const fetched: Fetched = { attachments: [], notes: [] };
  const deadlineMs = deps.clock.monotonic() + timeoutMs;
  for (const file of files.slice(0, mostFiles)) {
    const whole = file.isStub ? await askForWhole(deps, file) : file;
    const leftMs = Math.max(1_000, deadlineMs - deps.clock.monotonic());
    const result = await fetchFile(deps, channelId, whole, leftMs);
    if (typeof result === "string") fetched.notes.push(result);
    else fetched.attachments.push(result);
  }
  if (files.length > mostFiles) fetched.notes.push(`(${files.length - mostFiles} more files, not fetched)`);
  return fetched;
}

async function fetchFile(
  { clock, client, botToken, saveAttachment }: AttachmentDeps,
  channelId: string,
  file: WireFile,
  leftMs: number,
): Promise<ChannelAttachment | string> {
  const name = neutraliseLine(file.name).slice(0, 120);
  if (file.isExternal) return `(file "${name}", kept outside Slack: ${neutraliseLine(file.url ?? "no address")})`;
  const url = URL.parse(file.url ?? "");
  if (!url || !client.isOwnHost(url)) return `(file "${name}": Slack gave no address of its own for it, not fetched)`;
  const result = await downloadFile(
    {
      url: url.href,
      filename: file.name,
      maxBytes: slackCapabilities.maxDownloadBytes,
      headers: { authorization: `Bearer ${botToken}` },
      timeoutMs: leftMs,
      signal: client.signal,
      ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
      ...(file.size !== undefined && { size: file.size }),
    },
    { clock, save: (saved) => saveAttachment(channelId, saved) },
  );
  return result.type === "saved" ? result.attachment : result.note;
}

async function askForWhole({ client }: AttachmentDeps, stub: WireFile): Promise<WireFile> {
  const answer = await client.call((web) => web.files.info({ file: stub.id }));
  return (answer.type === "ok" && parseFile(answer.value.file)) || stub;
}
