/** mom's commands in Telegram's own menu. Names there have no dashes: what is chosen from it is given its own name back. */
import { createHash } from "node:crypto";
import type { Log } from "../../contracts/log.ts";
import type { ChannelDeps, MenuCommand } from "../definition.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import type { TelegramClient } from "./client.ts";
import { formatFailure } from "./failure.ts";
import { attempt } from "./text-calls.ts";

export interface Menu {
  /** Is this one of mom's, as Telegram writes it? */
  knows(name: string): boolean;
  /** A text that begins with the command `name`, with the name that mom knows it by. */
  toOwnName(text: string, name: string | undefined): string;
  /** Tells Telegram, where that is not what it was told last. Never rejects. */
  publish(botId: number): Promise<void>;
}

const memoryKey = "menu";
const mostCommands = 100;
const maxSummaryLength = 256;

export interface MenuDeps extends Pick<ChannelDeps, "memory" | "commands"> {
  client: TelegramClient;
  log: Log;
}

export function createMenu({ client, log, memory, commands }: MenuDeps): Menu {
  const items = commands().flatMap(toItem).slice(0, mostCommands);
  const ownNames = new Map(items.map(({ command, name }) => [command, name]));
  const list = items.map(({ command, description }) => ({ command, description }));

  async function publish(botId: number): Promise<void> {
    const hash = createHash("sha256")
      .update(JSON.stringify([botId, list]))
      .digest("hex");
    if ((await memory.get(memoryKey)) === hash) return;
    const result = await attempt(() => client.api.setMyCommands({ commands: list }));
    if (result.type === "done") await memory.set(memoryKey, hash);
    else log.warn("The menu of commands could not be set", { reason: formatFailure(result.failure) });
  }
  return {
    knows: (name) => ownNames.has(name),
    toOwnName(text, name) {
      const own = name === undefined ? undefined : ownNames.get(name);
      return own === undefined ? text : text.replace(/^\/\w+/, `/${own}`);
    },
    publish: (botId) =>
      publish(botId).catch((error: unknown) => log.warn("The menu of commands could not be set", { error })),
  };
}

/** None where no name can be made that Telegram takes. */
function toItem({ name, summary, usage }: MenuCommand): { name: string; command: string; description: string }[] {
  const command = name.toLowerCase().replaceAll("-", "_");
  if (!/^[a-z0-9_]{1,32}$/.test(command)) return [];
  const text = neutraliseLine(usage === undefined ? summary : `${summary} (${usage})`) || name;
  return [{ name, command, description: text.slice(0, maxSummaryLength).toWellFormed() }];
}
