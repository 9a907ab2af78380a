/** `/session`: what is known of this conversation. */

import { formatBytes, formatCost, formatCount, formatMoment } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

export function buildSessionCommand({
  transcripts,
  channelFolder,
}: Pick<CommandDeps, "transcripts" | "channelFolder">): Command {
  const command: Command = {
    name: "session",
    summary: "this conversation: its key, size and cost",
    immediate: true,
    async run({ session, args }) {
      ensureNoArguments(command, args);
      const lives = await transcripts.lives(session.sessionKey);
      const present = lives.find(({ isPresent }) => isPresent);
      const earlier = lives.filter(({ isPresent }) => !isPresent).length;
      return [
        `- key: ${toCode(session.sessionKey)}`,
        `- id: ${toCode(session.sessionId)}`,
        `- type: ${session.type}, agent ${toCode(session.agentId)}`,
        `- name: ${session.label === undefined ? "none (`/name` gives it one)" : toCode(session.label)}`,
        `- known since: ${formatMoment(session.createdAt)}, last used ${formatMoment(session.updatedAt)}`,
        // No absolute path: the host's folders are the operator's business.
        `- transcript: ${present ? `${formatBytes(present.bytes)}, in ${toCode(channelFolder(session.channel))} of the workspace` : "none yet"}`,
        `- used: ${formatCount(session.inputTokens)} tokens in, ${formatCount(session.outputTokens)} out, ${formatCount(session.totalTokens)} in all, ${formatCost(session.cost)}`,
        `- model used last: ${session.model === undefined ? "none yet" : toCode(session.model)}`,
        `- earlier conversations: ${earlier === 0 ? "none" : `${earlier} (\`/resume\` lists them)`}`,
      ].join("\n");
    },
  };
  return command;
}
