/** How talk goes in and out: message lines, reply tags, speech, silence, reactions, and thinking that must be marked. */
import { toLine } from "../plain-line.ts";
import { hasTool, type PromptFacts } from "../prompt-facts.ts";

export function replyTags({ hasReplyTags }: PromptFacts): string | undefined {
  if (!hasReplyTags) return undefined;
  return "Begin a reply with [[reply_to_current]] to tie it to the message you answer, or with [[reply_to:<id>]] for another one (ids are in log.jsonl). The tag is not shown. Use it only where it would be unclear what you answer.";
}

export function messaging(facts: PromptFacts): string {
  const { type } = facts.session;
  return [
    'Messages come as lines `[username]: text`, files with them as `<attachment path="…" name="…"/>`; do not write such lines yourself. Your final text is posted in this chat, no tool is needed. Write Markdown; mention @username and #channel.',
    ...(hasTool(facts, "message") ? ["Use message for other chats, and only when asked to."] : []),
    ...(hasTool(facts, "attach") ? ["Use attach to send a file."] : []),
    ...(type === "group" || type === "topic"
      ? ["Several people read along here: tell nobody's private matters to the others."]
      : []),
  ].join("\n");
}

export function voice(facts: PromptFacts): string | undefined {
  if (!hasTool(facts, "tts")) return undefined;
  return "Use tts when somebody asks for speech or sent a voice message; keep it short and plain.";
}

export const silentReplies = () =>
  "When nothing needs to be said, answer just [SILENT]: nothing is posted. Never put it beside other text.";

const guidance = {
  minimal:
    "React with an emoji rarely: where a sign is enough and words would be too much, at most once in several exchanges.",
  extensive:
    "React with an emoji where a person would, for thanks, agreement or something funny; one per message, and never instead of an answer.",
};

export function reactions({ reactionLevel = "none" }: PromptFacts): string | undefined {
  return reactionLevel === "none" ? undefined : guidance[reactionLevel];
}

export function reasoningFormat({ reasoningTag }: PromptFacts): string | undefined {
  if (!reasoningTag) return undefined;
  const tag = toLine(reasoningTag, 32);
  return `Think inside <${tag}>…</${tag}> before every answer. Only what stands after it is shown.`;
}
