/** Gives a command turn its reply: the command's own, or what to say to one that is not known or not possible. */
import { MomError } from "../base/errors.ts";
import type { Commands } from "../contracts/command.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Turn } from "../contracts/turn.ts";

interface AnswerCall {
  turn: Turn;
  session: SessionEntry;
  adapterType: string;
}

/** Rejects only when the store fails; a refusal by the command is a reply. */
export async function answerCommand(commands: Commands, { turn, session, adapterType }: AnswerCall): Promise<string> {
  const tooLong = turn.message.metadata?.["tooLongBytes"];
  if (typeof tooLong === "number") {
    return `That message has ${(tooLong / 2 ** 20).toFixed(1)} MiB of text; I take at most 1 MiB. Put it into a file and send that, or send it in parts.`;
  }
  const text = turn.stopped ? "/stop" : turn.message.text;
  const found = commands.find(text, adapterType);
  if (found.type === "none") return "That is not a command. `/help` lists them.";
  if (found.type === "unknown") {
    const guess = found.nearest === undefined ? "" : ` Did you mean \`/${found.nearest}\`?`;
    return `I do not know \`/${found.name}\`.${guess} \`/help\` lists what I know.`;
  }
  try {
    return await found.command.run({ turn, args: found.args, session, adapterType });
  } catch (error) {
    if (!(error instanceof MomError) || error.retryable) throw error;
    return error.hint ? `${error.message}. ${error.hint}` : `${error.message}.`;
  }
}
