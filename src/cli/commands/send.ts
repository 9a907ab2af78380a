/** `mom send`: a post to a chat in mom's name, through the outbox: beside a running mom, or for the next one. */
import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { UsageError } from "../../base/errors.ts";
import { deliveryIdOf } from "../../base/ids.ts";
import { type ChannelDeps, openChannel } from "../../channels/index.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { NewDelivery, Store } from "../../contracts/store.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { type AdapterConfig, findAdapter } from "../find-adapter.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { openGuestStore } from "../open-guest-store.ts";
import { note, printJson } from "../print.ts";
import { readTextOption } from "../read-text-option.ts";
import { createTerminalChannel } from "../terminal-channel.ts";

interface Options {
  data?: string;
  to: string;
  message: string;
  json?: true;
}

export function buildSendCommand(io: CliIo): Command {
  return new Command("send")
    .description(
      "Posts a message to a chat as mom. A running mom delivers it at once; otherwise it waits for the next start.",
    )
    .requiredOption(
      "--to <adapter/channel>",
      "the adapter's name in the config and the channel's id: terminal/terminal",
    )
    .requiredOption("--message <text>", "Markdown; - reads it from stdin")
    .option("--json", "print JSON: channel, deliveries, running")
    .option(...dataOption)
    .action((options: Options) => send(io, options));
}

async function send(io: CliIo, options: Options): Promise<void> {
  const channel = parseTarget(options.to);
  const dataDir = await findDataDir(io, options.data);
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  const adapterConfig = findAdapter(config, channel.adapter);
  const text = await readTextOption(io, options.message);
  const posts = await renderPosts(io, channel.adapter, adapterConfig, text);
  const clock = createSystemClock();
  const store = await openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
  try {
    const deliveries = toDeliveries(channel, posts);
    if (!(await isKnownChat(store, channel))) {
      note(
        io,
        `there has been no chat "${channel.channelId}" on ${channel.adapter} yet; if it does not exist, the post fails`,
      );
    }
    await store.outbox.post(deliveries);
    const holder = readHolderNow(dataDir);
    if (options.json) {
      printJson(io, { channel, deliveries: deliveries.map(({ id }) => id), running: holder !== undefined });
    } else if (holder) io.stdout.write(`queued; the running mom (process ${holder.pid}) delivers it\n`);
    else io.stdout.write("queued; no mom is running there, so it will be delivered at the next start\n");
  } finally {
    await store.close();
  }
}

function parseTarget(to: string): ChannelRef {
  const slash = to.indexOf("/");
  const [adapter, channelId] = [to.slice(0, slash), to.slice(slash + 1)];
  if (slash > 0 && channelId !== "") return { adapter, channelId };
  throw new UsageError("BAD_TARGET", `"${to}" is not <adapter>/<channel>.`, {
    hint: "For example --to terminal/terminal.",
  });
}

/** What the outbox takes is rendered already: the platform's dialect, split to its limits. */
async function renderPosts(io: CliIo, name: string, config: AdapterConfig, text: string): Promise<string[]> {
  const clock = createSystemClock();
  const deps = { clock, log: createSilentLog(clock) };
  const { adapter } =
    config.type === "cli"
      ? await createTerminalChannel({ io, ...deps }, { name, config })
      : await openChannel(name, config, { ...deps, ...nothingKept });
  return adapter.render(text.trim());
}

/** An adapter that only renders: it remembers nothing and takes nothing. */
const nothingKept: Pick<ChannelDeps, "memory" | "saveAttachment" | "commands"> = {
  memory: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
  saveAttachment: () => Promise.reject(new Error("nothing comes in")),
  commands: () => [],
};

function toDeliveries(channel: ChannelRef, posts: readonly string[]): NewDelivery[] {
  const origin = `send-${randomUUID()}`;
  return posts.map((text, n) => ({ id: deliveryIdOf(origin, n), channel, body: { type: "text", text } }));
}

async function isKnownChat(store: Store, { adapter, channelId }: ChannelRef): Promise<boolean> {
  const known = await store.channels.list();
  return known.some((chat) => chat.adapter === adapter && chat.channelId === channelId);
}
