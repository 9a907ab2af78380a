/** What may be meant by a slash at the beginning of a message. Pure. */
import type { SlashCommand } from "../../src/gateway/protocol/index.ts";

const mostOffered = 8;
const notMeant = 4;

/** The name that is being typed, without its slash; undefined where none is: only the first word of a message can be one. */
export function slashWord(text: string, caret: number): string | undefined {
  const typed = /^\/([\w:.-]*)$/.exec(text.slice(0, caret))?.[1];
  return typed !== undefined && /^[\w:.-]*(\s|$)/.test(text.slice(caret)) ? typed : undefined;
}

/** Best first: the name itself, names that begin so, then names that hold it, then words of the summary. */
export function offerCommands(commands: readonly SlashCommand[], typed: string): SlashCommand[] {
  const wanted = typed.toLowerCase();
  const rank = ({ name, summary }: SlashCommand): number => {
    const lower = name.toLowerCase();
    if (lower === wanted) return 0;
    if (lower.startsWith(wanted)) return 1;
    if (lower.includes(wanted)) return 2;
    return wanted.length >= 3 && summary.toLowerCase().includes(wanted) ? 3 : notMeant;
  };
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((each) => each.rank < notMeant)
    .sort((a, b) => a.rank - b.rank || (a.command.name < b.command.name ? -1 : 1))
    .slice(0, mostOffered)
    .map((each) => each.command);
}

/** Written out already, whatever else begins so: Enter sends it, unless another one was chosen from the list. */
export function isWhole(offered: readonly SlashCommand[], at: number, typed: string | undefined): boolean {
  return typed !== undefined && offered[at]?.name.toLowerCase() === typed.toLowerCase();
}

/** The message with the name filled in, and where the caret then is. */
export function fillCommand(text: string, name: string): { text: string; caret: number } {
  const rest = text.replace(/^\/[\w:.-]*\s?/, "");
  const start = `/${name} `;
  return { text: start + rest, caret: start.length };
}
