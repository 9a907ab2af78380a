/** `/compact`: shortens what the model is sent of this conversation, now. The transcript keeps everything. */

import { formatCount } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { toBlock } from "./text/foreign-text.ts";
import { findRecorded } from "./transcript/new-entry.ts";

export function buildCompactCommand({ agent }: Pick<CommandDeps, "agent">): Command {
  return {
    name: "compact",
    usage: "[what the summary should take care of]",
    summary: "sum up the conversation so far, so that it takes less room",
    async run({ session, turn, args, steps, record }) {
      // A step without the entry only booked what a try cost that gained nothing.
      const done = findRecorded(steps, "compaction");
      if (done) {
        const tokens = formatCount(done.tokensBefore);
        return formatResult(`The conversation of about ${tokens} tokens is summed up.`, done.summary);
      }
      const sender = `${turn.adapter}:${turn.message.sender.id}`;
      const result = await agent.compact(session, { sender, record, ...(args !== "" && { instructions: args }) });
      if (result.type === "aborted") return { aborted: true };
      if (result.type === "nothing") {
        return `There is nothing to gain: the conversation has about ${formatCount(result.tokens)} tokens.`;
      }
      const { tokensBefore, tokensAfter, summary } = result;
      return formatResult(
        `The conversation is summed up: from about ${formatCount(tokensBefore)} tokens to ${formatCount(tokensAfter)}.`,
        summary,
      );
    },
  };
}

const formatResult = (sentence: string, summary: string) =>
  `${sentence} Nothing of the transcript is lost. What I keep in mind:\n\n${toBlock(summary, { maxChars: 1500 })}`;
