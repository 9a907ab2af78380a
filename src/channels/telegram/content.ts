/** What a message holds beside words: the files in it, and a few words for everything that mom cannot open. */
import type { Message, RichBlock, RichText } from "grammy/types";

export interface IncomingFile {
  fileId: string;
  filename: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
}

interface TelegramFile {
  file_id: string;
  file_name?: string;
  mime_type?: string;
  file_size?: number;
}

/** A photo comes in several sizes; the largest is the last. */
export function listFiles(message: Message): IncomingFile[] {
  const { photo, document, audio, video, video_note, voice, message_id } = message;
  const named = (file: TelegramFile | undefined, fallback: string): IncomingFile[] =>
    file ? [toIncoming(file, file.file_name ?? fallback)] : [];
  return [
    ...named(photo?.at(-1), `photo-${message_id}.jpg`),
    // An animation is a document too.
    ...named(document, `file-${message_id}`),
    ...named(audio, `audio-${message_id}.mp3`),
    ...named(video, `video-${message_id}.mp4`),
    ...named(video_note, `video-${message_id}.mp4`),
    ...named(voice, `voice-${message_id}.ogg`),
  ];
}

function toIncoming({ file_id, mime_type, file_size }: TelegramFile, filename: string): IncomingFile {
  return {
    fileId: file_id,
    filename,
    ...(mime_type !== undefined && { mimeType: mime_type }),
    ...(file_size !== undefined && { size: file_size }),
  };
}

/** Undefined for messages that say nothing: somebody joined, something was pinned. */
export function describeContent(message: Message): string | undefined {
  const { sticker, venue, location, contact, poll, dice, checklist, rich_message } = message;
  if (sticker) return sticker.emoji ?? "(sticker)";
  if (venue) return `(place: ${venue.title}, ${venue.address}; ${formatLocation(venue.location)})`;
  if (location) return `(location: ${formatLocation(location)})`;
  if (contact)
    return `(contact: ${[contact.first_name, contact.last_name].filter(Boolean).join(" ")}, ${contact.phone_number})`;
  if (poll) return `(poll: ${poll.question} – ${poll.options.map(({ text }) => text).join(" / ")})`;
  if (dice) return `(${dice.emoji} ${dice.value})`;
  if (checklist) return [`(list: ${checklist.title})`, ...checklist.tasks.map(({ text }) => `- ${text}`)].join("\n");
  if (rich_message) return rich_message.blocks.map(blockText).filter(Boolean).join("\n\n") || "(formatted message)";
  if (message.story || message.game || message.paid_media || message.giveaway)
    return "(something that mom cannot read)";
  return undefined;
}

const formatLocation = ({ latitude, longitude }: { latitude: number; longitude: number }) =>
  `${latitude}, ${longitude}`;

/** Somebody's rich message: its words, whatever they look like. Kinds of blocks come and go, so this looks for text only. */
function blockText(block: RichBlock): string {
  const { text, blocks, items, cells, expression } = block as {
    text?: RichText;
    blocks?: RichBlock[];
    items?: { blocks?: RichBlock[] }[];
    cells?: { text?: RichText }[][];
    expression?: string;
  };
  const parts = [
    text === undefined ? "" : flatten(text),
    expression ?? "",
    ...(blocks ?? []).map(blockText),
    ...(items ?? []).map((item) => `- ${(item.blocks ?? []).map(blockText).join("\n")}`),
    ...(cells ?? []).map((row) => row.map((cell) => flatten(cell.text ?? "")).join(" | ")),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function flatten(text: RichText): string {
  if (typeof text === "string") return text;
  if (Array.isArray(text)) return text.map(flatten).join("");
  return "text" in text ? flatten(text.text as RichText) : "";
}
