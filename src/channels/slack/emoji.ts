/** Emoji → the names that Slack knows them by. */

/** The usual ones; others can be given by name. */
const names: Readonly<Record<string, string>> = {
  "👍": "thumbsup",
  "👎": "thumbsdown",
  "❤": "heart",
  "🎉": "tada",
  "👀": "eyes",
  "✅": "white_check_mark",
  "☑": "ballot_box_with_check",
  "✔": "heavy_check_mark",
  "❌": "x",
  "⚠": "warning",
  "❗": "exclamation",
  "❓": "question",
  "🙏": "pray",
  "🙌": "raised_hands",
  "👏": "clap",
  "👋": "wave",
  "💪": "muscle",
  "🔥": "fire",
  "🚀": "rocket",
  "💯": "100",
  "⭐": "star",
  "✨": "sparkles",
  "💡": "bulb",
  "🤔": "thinking_face",
  "😂": "joy",
  "😄": "smile",
  "😊": "blush",
  "😍": "heart_eyes",
  "😢": "cry",
  "😮": "open_mouth",
  "😅": "sweat_smile",
  "🙂": "slightly_smiling_face",
  "🤷": "shrug",
  "🤖": "robot_face",
  "⏳": "hourglass_flowing_sand",
  "⌛": "hourglass",
  "🛑": "octagonal_sign",
  "🐛": "bug",
  "📌": "pushpin",
  "📝": "memo",
  "💬": "speech_balloon",
  "🧠": "brain",
  "💀": "skull",
  "🍕": "pizza",
  "☕": "coffee",
};

/** `👍`, `thumbsup` or `:thumbsup:` → `thumbsup`; undefined for what Slack could not know. */
export function toEmojiName(emoji: string): string | undefined {
  const name = emoji.trim().replace(/^:|:$/g, "");
  if (/^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/.test(name)) return name;
  // Skin tones and the sign for "as a picture" change nothing about what it is.
  return names[name.replace(/[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu, "")];
}

export const emojiHint = `Known are ${Object.keys(names).slice(0, 12).join(" ")} and more; any other by its name in Slack, such as party_parrot.`;
