/** The words of a message and whom they are meant for. Offsets of Telegram's entities count UTF-16 units, as strings here do. */
import type { Message, MessageEntity } from "grammy/types";
import { usernameOf } from "./message.ts";

export interface Me {
  id: number;
  username: string;
}

export interface ReadText {
  text: string;
  /** As it was written, where that differs. */
  rawText?: string;
  /** mom is mentioned, or a command names her. */
  isNamed: boolean;
  /** The command that it begins with, as the menu has it. */
  command?: { name: string /** The bot that it is for. Absent: for whoever knows it. */; bot?: string };
}

export function readText(message: Message, me: Me): ReadText {
  const raw = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const wordsOf = ({ offset, length }: MessageEntity) => raw.slice(offset, offset + length);
  const isMe = (name: string) => name.toLowerCase() === me.username.toLowerCase();
  const isMyMention = (entity: MessageEntity) =>
    entity.type === "mention"
      ? isMe(wordsOf(entity).slice(1))
      : entity.type === "text_mention" && entity.user.id === me.id;

  const first = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  const [name = "", bot] = first ? wordsOf(first).slice(1).split("@") : [];
  const command = first && { name: name.toLowerCase(), ...(bot !== undefined && { bot }) };
  const isMyCommand = bot !== undefined && isMe(bot);

  const written = rewrite(raw, entities, (entity) => {
    if (isMyMention(entity)) return entity.offset === 0 ? "" : wordsOf(entity);
    if (entity === first && isMyCommand) return `/${name}`;
    if (entity.type === "text_mention") return `@${usernameOf(entity.user)}`;
    // The address is what counts, and it is not in the words.
    if (entity.type === "text_link" && entity.url !== wordsOf(entity)) return `${wordsOf(entity)} (${entity.url})`;
    return wordsOf(entity);
  });
  const hasName = entities.some((entity) => entity.offset === 0 && isMyMention(entity));
  // Somebody who only says her name wants an answer too.
  const text = (hasName ? written.replace(/^[\s,:]+/, "") : written) || raw;
  return {
    text,
    ...(text !== raw && { rawText: raw }),
    isNamed: isMyCommand || entities.some(isMyMention),
    ...(command && { command }),
  };
}

/** Entities that overlap are left alone after the first. */
function rewrite(raw: string, entities: readonly MessageEntity[], write: (entity: MessageEntity) => string): string {
  let text = "";
  let done = 0;
  for (const entity of entities.toSorted((a, b) => a.offset - b.offset)) {
    if (entity.offset < done) continue;
    text += raw.slice(done, entity.offset) + write(entity);
    done = entity.offset + entity.length;
  }
  return text + raw.slice(done);
}
