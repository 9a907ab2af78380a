/** Files → Telegram: small pictures as photos, speech as voice messages, everything else as a document. */
import { InputFile } from "grammy";
import { imageHeaderBytes, pickImageType } from "../../base/image-type.ts";
import type { OutgoingFile, PlatformAdapter, SendResult } from "../../contracts/channel.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import { openUpload } from "../kit/open-upload.ts";
import { telegramCapabilities } from "./capabilities.ts";
import type { TelegramClient } from "./client.ts";
import { isAboutText } from "./failure.ts";
import { toCaption } from "./format.ts";
import type { Live } from "./live.ts";
import { toTarget } from "./place.ts";
import type { Sender, Target } from "./send.ts";
import { attempt, type CallResult } from "./text-calls.ts";

/** Telegram's limit for photos. */
const maxPhotoBytes = 10 * 1_024 * 1_024;
const photoTypes = ["image/jpeg", "image/png", "image/webp"];

export interface UploadsDeps {
  client: TelegramClient;
  sender: Sender;
  live: Live;
}

type Kind = "photo" | "voice" | "document";

export function createUploads({ client: { api }, sender, live }: UploadsDeps): Pick<PlatformAdapter, "uploadFile"> {
  async function post(place: Target, kind: Kind, bytes: Buffer, file: OutgoingFile): Promise<CallResult<string>> {
    const caption = toCaption(file.caption, file.repeated === true);
    const common = { ...toTarget(place), ...(caption !== undefined && { caption }) };
    const input = new InputFile(bytes, toFilename(file.filename));
    const call = () => {
      if (kind === "photo") return api.sendPhoto({ ...common, photo: input });
      if (kind === "voice") return api.sendVoice({ ...common, voice: input });
      return api.sendDocument({ ...common, document: input });
    };
    const result = await attempt<{ message_id: number }>(call);
    if (result.type === "done") return { type: "done", value: String(result.value.message_id) };
    // Odd measures, a person who takes no voice messages: a document is always taken.
    return kind !== "document" && isAboutText(result.failure) ? post(place, "document", bytes, file) : result;
  }
  return {
    async uploadFile(channelId, file): Promise<SendResult> {
      const opened = await openUpload(file, telegramCapabilities.maxUploadBytes);
      if (opened.type !== "open") return opened;
      if (opened.size === 0)
        return { type: "rejected", reason: `${file.filename} is empty, and Telegram takes no empty files` };
      const { bytes } = opened;
      const result = await sender.send(channelId, (place) => post(place, pickKind(bytes), bytes, file));
      // It stands below the live post, which has to come again below it.
      if (result.type === "sent")
        live.posted(channelId, { ...(file.turnId && { turnId: file.turnId }), isAside: true }, result.messageId);
      return result;
    },
  };
}

/** By the first bytes; names lie. */
function pickKind(bytes: Buffer): Kind {
  const image = pickImageType(bytes.subarray(0, imageHeaderBytes));
  if (image !== undefined && photoTypes.includes(image) && bytes.length <= maxPhotoBytes) return "photo";
  const start = bytes.subarray(0, 64).toString("latin1");
  return start.startsWith("OggS") && start.includes("OpusHead") ? "voice" : "document";
}

/** The name goes into a header as it is. */
const toFilename = (filename: string): string =>
  neutraliseLine(filename)
    .replace(/[";\\/]/g, "_")
    .slice(0, 200)
    .toWellFormed() || "file";
