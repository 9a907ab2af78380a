/** `/name`: gives this conversation a name, in the list of sessions and in its transcript. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { buildEntry, findRecorded } from "./transcript/new-entry.ts";

const maxChars = 100;

export function buildNameCommand({ sessions, clock }: Pick<CommandDeps, "sessions" | "clock">): Command {
  const command: Command = {
    name: "name",
    usage: "[text|default]",
    summary: "show, give or take away (`default`) this conversation's name",
    async run({ session, args, steps, record }) {
      if (args === "") {
        return session.label === undefined
          ? "This conversation has no name. `/name text` gives it one."
          : `This conversation is called ${toCode(session.label)}. \`/name default\` takes the name away.`;
      }
      const isDefault = args.toLowerCase() === "default";
      const name = isDefault ? "" : args.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
      if (!isDefault && name === "") throw badArguments(command, "That name has no visible characters");
      if (name.length > maxChars) throw badArguments(command, `A name has at most ${maxChars} characters`);
      if (!findRecorded(steps, "session_info")) {
        const entry = buildEntry({ type: "session_info", name }, clock.now());
        await record({ body: { type: "note" }, entries: [entry] });
      }
      await sessions.choose(session.sessionKey, { label: isDefault ? null : name });
      return isDefault ? "This conversation has no name any more." : `This conversation is now called ${toCode(name)}.`;
    },
  };
  return command;
}
