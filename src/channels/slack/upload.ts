/** A file to Slack: an address to send it to, the bytes, then the message that shows it. Only the last can be seen by anybody. */
import type { FilesCompleteUploadExternalArguments } from "@slack/web-api";
import { errorText } from "../../base/errors.ts";
import type { OutgoingFile, SendResult } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import { openUpload } from "../kit/open-upload.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackClient } from "./client.ts";
import { toSendResult } from "./fault.ts";
import { toMrkdwn } from "./format.ts";
import { findShare } from "./settle.ts";

export interface UploadDeps {
  clock: Clock;
  client: SlackClient;
  /** Writes down which file it will be; false when that failed. */
  note(fileId: string): Promise<boolean>;
}

const maxCaption = 3_000;
/** Slack shares a file a moment after it has said yes. */
const looks = 4;
const betweenLooksMs = 500;

export async function sendFile(
  deps: UploadDeps,
  channelId: string,
  threadTs: string | undefined,
  file: OutgoingFile,
): Promise<SendResult> {
  const opened = await openUpload(file, slackCapabilities.maxUploadBytes);
  if (opened.type !== "open") return opened;
  if (opened.size === 0)
    return { type: "rejected", reason: `${file.filename} is empty, and Slack takes no empty files` };
  const stored = await storeBytes(deps.client, file.filename, opened.bytes);
  if (stored.type !== "stored") return stored;
  if (!(await deps.note(stored.fileId))) return { type: "retry", reason: "The upload could not be written down" };
  const [caption] = toMrkdwn(file.caption ?? "", maxCaption);
  const share = {
    files: [{ id: stored.fileId, title: file.filename }],
    channel_id: channelId,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(caption !== undefined && { initial_comment: caption }),
  } as FilesCompleteUploadExternalArguments;
  const answer = await deps.client.call((web) => web.files.completeUploadExternal(share));
  if (answer.type !== "ok") return toSendResult(answer);
  return { type: "sent", messageId: await findMessage(deps, channelId, stored.fileId) };
}

/** Nobody sees it yet: whatever fails here can simply be done again. */
async function storeBytes(
  client: SlackClient,
  filename: string,
  bytes: Buffer,
): Promise<{ type: "stored"; fileId: string } | Extract<SendResult, { type: "retry" | "rejected" }>> {
  const answer = await client.call((web) => web.files.getUploadURLExternal({ filename, length: bytes.length }));
  if (answer.type !== "ok") {
    const result = toSendResult(answer);
    return result.type === "unknown" ? { type: "retry", reason: result.reason } : result;
  }
  const { upload_url = "", file_id = "" } = answer.value;
  const url = URL.parse(upload_url);
  if (!url || !client.isOwnHost(url))
    return { type: "rejected", reason: "Slack named no address of its own to send the file to" };
  try {
    const response = await client.fetch(url.href, { method: "POST", body: new Uint8Array(bytes), redirect: "error" });
    if (response.status === 200) return { type: "stored", fileId: file_id };
    return { type: "retry", reason: `The file was not taken (status ${response.status})` };
  } catch (error) {
    return { type: "retry", reason: `The file could not be sent: ${errorText(error)}` };
  }
}

/** The file's own id where the message cannot be found: it was sent all the same. */
async function findMessage({ client, clock }: UploadDeps, channelId: string, fileId: string): Promise<string> {
  for (let n = 0; n < looks; n++) {
    if (n > 0) await clock.sleep(betweenLooksMs, client.signal).catch(() => undefined);
    const share = await findShare(client, channelId, fileId);
    if (share.type === "found") return share.ts;
    if (share.type === "unsure") break;
  }
  return fileId;
}
