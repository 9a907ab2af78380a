/** The emoji that Telegram lets a bot react with; a bot has one per message. */
import type { ReactionTypeEmoji } from "grammy/types";

const allowed: readonly ReactionTypeEmoji["emoji"][] = [
  ..."👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡".split(" "),
  ..."🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿".split(" "),
  ..."🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡".split(" "),
] as ReactionTypeEmoji["emoji"][];

/** Undefined for what Telegram does not take. */
export function toReaction(emoji: string): ReactionTypeEmoji[] | undefined {
  const bare = emoji.trim().replaceAll("\ufe0f", "");
  const found = allowed.find((one) => one === bare);
  return found && [{ type: "emoji", emoji: found }];
}

export const reactionHint = `Telegram takes only these: ${allowed.join(" ")}`;
