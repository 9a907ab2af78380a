/** Messages in a few words, for markers and mechanical summaries: which tool ran on what, what somebody wrote. */
import type { ModelMessage, ToolCall } from "../../contracts/model.ts";
import { fitLine, formatCount } from "./shorten-text.ts";

/** Arguments that say what a call was about, the most telling first. */
const pathNames = ["path", "file_path", "filePath", "file", "filename"];
const targetNames = [...pathNames, "command", "url", "query", "pattern", "name", "action"];
const maxTargetCharacters = 80;

export function pickPath(call: ToolCall): string | undefined {
  return pickText(call, pathNames);
}

/** What the call was about, in one line: a file, a command, an address; otherwise its first text. */
export function pickTarget(call: ToolCall): string | undefined {
  const target = pickText(call, targetNames) ?? pickText(call, Object.keys(call.arguments));
  return target === undefined ? undefined : fitLine(target, maxTargetCharacters);
}

/** `read notes.md` */
export function describeCall(call: ToolCall): string {
  const target = pickTarget(call);
  return target === undefined ? call.name : `${call.name} ${target}`;
}

function pickText(call: ToolCall, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = call.arguments[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** Text of a message as it is sent, thinking and calls left out. */
export function textOf(message: ModelMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function countPictures(message: ModelMessage): number {
  if (typeof message.content === "string") return 0;
  return message.content.filter((block) => block.type === "image").length;
}

/** `a tool result of 48,000 characters from bash` */
export function describeSize(message: ModelMessage, characters: number): string {
  const size = `of ${formatCount(characters)} characters`;
  if (message.role === "toolResult") return `a tool result ${size} from ${message.toolName}`;
  return message.role === "user" ? `a message ${size} from a person` : `an answer ${size}`;
}
