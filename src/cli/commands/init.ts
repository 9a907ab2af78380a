/**
 * `mom init`: guided set-up. Makes the data directory, says which model answers, asks for a chat platform's login, checks
 * it against the platform and writes the config. May be run again to add another platform.
 */

import { join } from "node:path";
import { Command } from "commander";
import type { MomConfig } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import { UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import { findPackageDir } from "../../base/package-dir.ts";
import { toPrintable } from "../../base/printable.ts";
import {
  type ChannelConfig,
  type ChannelLogin,
  type ChannelType,
  channelCatalog,
  type LoginReport,
  loadLogin,
} from "../../channels/index.ts";
import { createModels } from "../../models/index.ts";
import { buildLayout, createAuthFile } from "../../store/index.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { askLogin } from "../init/ask-login.ts";
import { saveAdapter } from "../init/save-adapter.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { note } from "../print.ts";
import { createPrompter, type Prompter } from "../prompter.ts";

interface Options {
  data?: string;
  apiUrl?: string;
}

/** Those that people log in to. */
const platforms = Object.keys(channelCatalog).filter((type) => !["cli", "webchat"].includes(type)) as ChannelType[];

export function buildInitCommand(io: CliIo): Command {
  return new Command("init")
    .description(
      "Sets mom up, step by step: data directory, model, and a chat platform whose login is checked before it is kept. Run it again to add another one. Answers may be piped in, one a line.",
    )
    .argument("[platform]", `${platforms.join(", ")}, or none; asked for when left out`)
    .option("--api-url <url>", "address of the platform's API, for a server of one's own")
    .option(...dataOption)
    .action((platform: string | undefined, options: Options) => initialise(io, platform, options));
}

async function initialise(io: CliIo, platform: string | undefined, options: Options): Promise<void> {
  const dataDir = pickDataDir(io, options.data);
  const { config, created } = await loadValidConfig(io, dataDir, { create: true });
  note(
    io,
    created ? `Made ${dataDir} with a first config.json.` : `${dataDir} is there already; nothing in it is lost.`,
  );
  note(io, await describeModel(io, dataDir, config));
  const prompter = createPrompter(io);
  try {
    const type = await pickPlatform(io, prompter, platform);
    if (type !== undefined) await addPlatform(io, prompter, { dataDir, config, type, apiUrl: options.apiUrl });
  } finally {
    prompter.close();
  }
  note(io, `Start it: mom ${dataDir}    Look it over: mom doctor --data ${dataDir}`);
}

interface NewPlatform {
  dataDir: string;
  config: MomConfig;
  type: ChannelType;
  apiUrl: string | undefined;
}

async function addPlatform(
  io: CliIo,
  prompter: Prompter,
  { dataDir, config, type, apiUrl }: NewPlatform,
): Promise<void> {
  const clock = createSystemClock();
  const login = await loadLogin(type, { clock, log: createSilentLog(clock) });
  if (!login) return;
  note(io, `${login.label}. How the app is made there, step by step: ${buildReadmePath(type)}`);
  const given = { type, ...(apiUrl !== undefined && { apiUrl }) };
  const fields = await askUntilAccepted(io, prompter, given, login);
  if (fields === undefined) return note(io, "Nothing was written.");
  const name = await askName(prompter, type, Object.keys(config.adapters));
  await saveAdapter({ io, dataDir, name, adapter: { ...given, ...fields } });
  note(
    io,
    `Written as adapters.${name}. Whoever is not an admin there gets a code; \`mom pair approve <code>\` lets them in.`,
  );
}

/** The fields of a login that the platform has accepted, or that the person wants to keep all the same. */
async function askUntilAccepted(
  io: CliIo,
  prompter: Prompter,
  given: { type: ChannelType },
  login: ChannelLogin,
): Promise<Record<string, unknown> | undefined> {
  for (;;) {
    const fields = await askLogin(io, prompter, login.fields);
    const report = await checkFields(given, login, fields);
    if (report.type === "ok") {
      note(io, `${login.label} knows this login: ${toPrintable(report.account)}`);
      for (const { message, fix } of report.warnings) note(io, `  careful: ${message}\n  fix: ${fix}`);
      return fields;
    }
    note(io, `${report.message}\n  fix: ${report.fix}`);
    const answer = (await prompter.ask("Try again, keep it anyway, or leave? [again/keep/leave]")).trim().toLowerCase();
    if (answer.startsWith("k")) return fields;
    if (answer.startsWith("l")) return undefined;
  }
}

async function checkFields(given: { type: ChannelType }, login: ChannelLogin, fields: object): Promise<LoginReport> {
  const parsed = channelCatalog[given.type].configSchema.safeParse({ ...given, ...fields });
  if (parsed.success) return login.check(parsed.data as ChannelConfig);
  const message = parsed.error.issues.map(({ path, message: why }) => `${path.join(".")}: ${why}`).join("; ");
  return { type: "failed", message, fix: "Type it as the platform shows it, whole and without quotes." };
}

async function pickPlatform(
  io: CliIo,
  prompter: Prompter,
  given: string | undefined,
): Promise<ChannelType | undefined> {
  const answer = given ?? (await prompter.ask(`Which chat platform? ${platforms.join(", ")}, or none [none]:`));
  const wanted = answer.trim().toLowerCase();
  if (wanted === "" || wanted === "none") {
    note(io, "The terminal is there in any case.");
    return undefined;
  }
  const type = platforms.find((each) => each === wanted);
  if (type !== undefined) return type;
  const nearest = pickNearest(wanted, platforms);
  throw new UsageError("CHANNEL_TYPE_UNKNOWN", `mom knows no chat platform "${toPrintable(wanted)}".`, {
    hint: nearest === undefined ? `There is ${platforms.join(", ")}.` : `Did you mean ${nearest}?`,
  });
}

async function askName(prompter: Prompter, type: string, taken: readonly string[]): Promise<string> {
  const free = [type, ...Array.from({ length: 100 }, (_, n) => `${type}-${n + 2}`)].find(
    (name) => !taken.includes(name),
  );
  for (;;) {
    const name = (await prompter.ask(`Name for it [${free}]:`)).trim() || (free ?? type);
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !taken.includes(name)) return name;
  }
}

async function describeModel(io: CliIo, dataDir: string, config: MomConfig): Promise<string> {
  const clock = createSystemClock();
  const log = createSilentLog(clock);
  const auth = createAuthFile({ path: buildLayout(dataDir).authPath, clock, log });
  const models = createModels({ clock, log, env: io.env, auth, authOrder: config.auth.order }, config.models);
  try {
    const found = await models.resolve();
    if (found.type !== "model") return `No model can be used: ${found.message}`;
    const isBuiltIn = found.model.ref === "mom/offline";
    return `The model: ${found.model.ref}${isBuiltIn ? " (built in, no key; `mom auth add anthropic` gives a real one)" : ""}`;
  } finally {
    await models.close();
  }
}

const buildReadmePath = (type: string) => join(findPackageDir() ?? "", "src", "channels", type, "README.md");
