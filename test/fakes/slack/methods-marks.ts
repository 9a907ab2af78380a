/** The fake's reactions, pins, assistant status, and who the caller is. */
import { findChannel, type Method, type MethodContext, refuse } from "./method.ts";
import { bot, type Json, type SlackChannel, type SlackMessage } from "./workspace.ts";

type Marked = { channel: SlackChannel; message: SlackMessage };

/** Runs `change` on the message that the call names. */
const onMessage =
  (change: (marked: Marked, args: Json) => string | undefined) =>
  (args: Json, context: MethodContext): Json => {
    const found = findChannel(context, args["channel"]);
    if (found.type === "refused") return found.answer;
    const message = context.workspace.find(found.channel.id, args["timestamp"]);
    if (!message) return refuse("message_not_found");
    const error = change({ channel: found.channel, message }, args);
    return error === undefined ? { ok: true } : refuse(error);
  };

const addReaction = onMessage(({ message }, { name }) => {
  if (typeof name !== "string" || !/^[a-z0-9_+'-]+$/.test(name)) return "invalid_name";
  const users = message.reactions.get(name) ?? new Set();
  if (users.has(bot.userId)) return "already_reacted";
  message.reactions.set(name, users.add(bot.userId));
  return undefined;
});
const removeReaction = onMessage(({ message }, { name }) =>
  message.reactions.get(String(name))?.delete(bot.userId) ? undefined : "no_reaction",
);
const addPin = onMessage(({ channel, message }) => {
  if (channel.pins.includes(message.ts)) return "already_pinned";
  channel.pins.push(message.ts);
  return undefined;
});
const removePin = onMessage(({ channel, message }) => {
  if (!channel.pins.includes(message.ts)) return "no_pin";
  channel.pins = channel.pins.filter((ts) => ts !== message.ts);
  return undefined;
});

export const markMethods: Record<string, Method> = {
  "auth.test": {
    run: () => ({
      ok: true,
      url: "https://acme.slack.com/",
      team: "Acme",
      team_id: bot.teamId,
      user: bot.name,
      user_id: bot.userId,
      bot_id: bot.botId,
      is_enterprise_install: false,
    }),
  },
  "reactions.add": { scopes: ["reactions:write"], run: addReaction },
  "reactions.remove": { scopes: ["reactions:write"], run: removeReaction },
  "pins.add": { scopes: ["pins:write"], run: addPin },
  "pins.remove": { scopes: ["pins:write"], run: removePin },
  "assistant.threads.setStatus": {
    scopes: ["assistant:write", "chat:write"],
    run(args, context) {
      const found = findChannel(context, args["channel_id"]);
      if (found.type === "refused") return found.answer;
      return context.settings.hasAssistant ? { ok: true } : refuse("feature_not_enabled");
    },
  },
};
