/** `/settings`: looks at the config and changes one key of it. Keys and tokens are neither shown nor taken in a chat. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { toBlock, toCode, toReport } from "./text/foreign-text.ts";

/** Dotted; keys with dots or spaces in double quotes. */
const pathAndValue = /^((?:"[^"]*"|[^\s"])+)(?:\s+([\s\S]+))?$/;
const secretName = /(?:key|token|secret|password|passphrase|credential)s?"?$/i;
/** `${NAME}` and `{ $file: … }` name where a secret is; numbers are limits (`maxTokens`). */
const harmless = /^["']?\$\{[^}]*\}["']?$|^\{\s*["']?\$file\b|^(?:-?[\d.]+|true|false|null)$/;
/** The same inside an object. */
const secretInside = /(?:key|token|secret|password|passphrase|credential)s?["']?\s*:\s*["'](?!\$\{)/i;

export function buildSettingsCommand({ settings }: Pick<CommandDeps, "settings">): Command {
  const command: Command = {
    name: "settings",
    usage: "[path [value]]",
    summary: "show the config, or set one key of it",
    adminOnly: true,
    immediate: true,
    async run({ args }) {
      if (args === "") return toBlock(await settings.read(), { language: "json5" });
      const [, path, value] = pathAndValue.exec(args) ?? [];
      if (path === undefined)
        throw badArguments(command, "A path has keys joined by dots, those with spaces in double quotes");
      if (value === undefined) return `${toCode(path)}\n\n${toBlock(await settings.read(path), { language: "json5" })}`;
      if (hasSecret(path, value.trim())) return refuseSecret(path);
      return toReport(await settings.set(path, value.trim()));
    },
  };
  return command;
}

const hasSecret = (path: string, value: string) =>
  (secretName.test(path) && !harmless.test(value)) || secretInside.test(value);

const refuseSecret = (path: string) =>
  [
    `Not set: ${toCode(path)} looks like a place for a secret, and this chat is logged.`,
    "- Put it into the environment and set `${NAME}` here, or use `mom auth add <provider>` or `mom config set` on the host.",
    "- If what you sent was a real one, replace it: it is in the chat's history now.",
  ].join("\n");
