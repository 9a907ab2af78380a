/** `/hotkeys`: the keys of the terminal chat. */
import type { Command } from "../contracts/command.ts";
import { ensureNoArguments } from "./text/arguments.ts";

const keys: readonly (readonly [keys: string, meaning: string])[] = [
  ["Enter", "send"],
  ["Alt-Enter, Shift-Enter, Ctrl-J, or a backslash before Enter", "new line"],
  ["Up, Down, Ctrl-P, Ctrl-N", "line up or down; from the first or last line through what was sent before"],
  ["Left, Right, Ctrl-B, Ctrl-F", "a character back or forward"],
  ["Ctrl or Alt with Left or Right, Alt-B, Alt-F", "a word back or forward"],
  ["Home, End, Ctrl-A, Ctrl-E", "start or end of the line"],
  ["Backspace, Delete, Ctrl-D", "delete a character"],
  ["Ctrl-W, Alt-Backspace", "delete the word before the cursor"],
  ["Ctrl-U, Ctrl-K", "delete to the start or the end of the line"],
  ["Ctrl-L", "draw the screen anew"],
  ["Ctrl-C", "stop what runs; else clear the input; else leave at the second press within two seconds"],
  ["Ctrl-D on an empty line", "leave (also `/quit`)"],
];

export function buildHotkeysCommand(): Command {
  const command: Command = {
    name: "hotkeys",
    summary: "the keys of this terminal",
    immediate: true,
    onlyOn: ["cli"],
    async run({ args }) {
      ensureNoArguments(command, args);
      return keys.map(([names, meaning]) => `- **${names}**: ${meaning}`).join("\n");
    },
  };
  return command;
}
