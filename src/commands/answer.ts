/** Gives a command turn its reply: the command's own, or what to say to one that is not known, not allowed or not possible. */
import { MomError } from "../base/errors.ts";
import type { Command, CommandCall, CommandReply, Commands } from "../contracts/command.ts";
import { toBlock } from "./text/foreign-text.ts";

/** Everything that a command is called with but its words, which are in the turn. */
type AnswerCall = Omit<CommandCall, "args">;

/** Rejects only when the store fails; a refusal by the command is a reply. */
export async function answerCommand(commands: Commands, call: AnswerCall): Promise<CommandReply> {
  const { turn, session, adapterType } = call;
  const tooLong = turn.message.metadata?.["tooLongBytes"];
  if (typeof tooLong === "number") {
    return `That message has ${(tooLong / 2 ** 20).toFixed(1)} MiB of text; I take at most 1 MiB. Put it into a file and send that, or send it in parts.`;
  }
  const text = turn.stopped ? "/stop" : turn.message.text;
  const found = await commands.find(text, { adapterType, agentId: session.agentId });
  switch (found.type) {
    case "none":
      return "That is not a command. `/help` lists them.";
    case "prompt":
      return "There is a prompt of that name now. Say it again, please.";
    case "unknown": {
      const guess = found.nearest === undefined ? "" : ` Did you mean \`/${found.nearest}\`?`;
      return `I do not know \`/${found.name}\`.${guess} \`/help\` lists what I know.`;
    }
    case "command":
      return run(found.command, { ...call, args: found.args });
  }
}

async function run(command: Command, call: CommandCall): Promise<CommandReply> {
  if (command.adminOnly && !call.isAdmin) {
    return `\`/${command.name}\` is for admins only, and you are none here. \`/whoami\` shows the id that an operator would have to add to this channel's admins.`;
  }
  try {
    return await command.run(call);
  } catch (error) {
    if (!(error instanceof MomError) || error.retryable) throw error;
    return formatRefusal(error);
  }
}

/** A message of several lines is a list of what is wrong, with words from elsewhere in it. */
function formatRefusal({ message, hint }: MomError): string {
  const [first = "", ...more] = message.trim().split("\n");
  const hints = hint === undefined ? [] : [hint];
  if (more.length === 0) return [toSentence(first), ...hints].join(" ");
  return [first, toBlock(more.join("\n")), ...hints].join("\n");
}

const toSentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`);
