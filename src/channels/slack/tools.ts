/** Slack's own tools for the agent (spec 2.6). */
import { Type } from "typebox";
import { defineChannelTool } from "../kit/channel-tool.ts";
import type { SlackAdapter } from "./adapter.ts";

const channel = Type.String({ description: "Channel id" });
const timestamp = Type.String({ description: "Id (ts) of the message" });

export const slackTools = [
  defineChannelTool<SlackAdapter, ReturnType<typeof buildReactionParameters>>({
    name: "slack_add_reaction",
    label: "React on Slack",
    description: "React to a Slack message with an emoji.",
    parameters: buildReactionParameters(),
    gate: "reactions",
    chatOf: (params) => params.channel,
    async run({ actions }, params) {
      await actions.addReaction(params.channel, params.timestamp, params.name);
      return `Reacted with ${params.name}`;
    },
  }),
  defineChannelTool<SlackAdapter, ReturnType<typeof buildPinParameters>>({
    name: "slack_pin_message",
    label: "Pin on Slack",
    description: "Pin a Slack message to its channel.",
    parameters: buildPinParameters(),
    gate: "pins",
    chatOf: (params) => params.channel,
    async run({ actions }, params) {
      await actions.pinMessage(params.channel, params.timestamp);
      return "Pinned";
    },
  }),
];

function buildReactionParameters() {
  return Type.Object({ channel, timestamp, name: Type.String({ description: "Emoji name, such as thumbsup" }) });
}

function buildPinParameters() {
  return Type.Object({ channel, timestamp });
}
