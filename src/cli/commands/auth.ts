/**
 * `mom auth`: keys and logins for model providers. Works on `auth.json`, also beside a running mom, who sees the change with
 * her next call. A key never comes as an argument, and no command prints one.
 */
import { Command } from "commander";
import { AuthError, UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { AuthData } from "../../contracts/auth.ts";
import type { ProfileStatus } from "../../contracts/model.ts";
import { implicitNames, type LoadOAuthFlow, loadOAuthFlow, removeProfile } from "../../models/index.ts";
import { dataOption } from "../data-dir.ts";
import { buildProfileColumns } from "../format-profiles.ts";
import { formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { logIn } from "../log-in.ts";
import { type OpenModels, openModels } from "../open-models.ts";
import { note, printJson, printLines } from "../print.ts";
import { readKey } from "../read-key.ts";

interface Options {
  data?: string;
  json?: true;
  name?: string;
  keyFile?: string;
  clear?: true;
}

export function buildAuthCommand(io: CliIo, loadFlow: LoadOAuthFlow = loadOAuthFlow): Command {
  const auth = new Command("auth").description(
    "Keeps keys and logins for model providers. Several for one provider are used in turn.",
  );
  const add = (name: string, description: string) =>
    auth
      .command(name)
      .description(description)
      .option(...dataOption);
  add("add", "add an API key: typed at a prompt, piped in, or from a file")
    .argument("<provider>", "as `mom models status` lists them")
    .option("--name <name>", "tells several keys of one provider apart", "default")
    .option("--key-file <file>", "a file that has the key and nothing else")
    .allowExcessArguments()
    .action((provider: string, options: Options, command: Command) => addKey(io, provider, options, command.args));
  add("list", "list keys and logins: where from, how they fare; never what they are")
    .option("--json", "print JSON")
    .action((options: Options) => list(io, options));
  add("remove", "forget a key or login")
    .argument("<id>", "as `mom auth list` prints it")
    .action((id: string, options: Options) => remove(io, id, options));
  add("order", "show or set which profiles of a provider are used")
    .argument("<provider>")
    .argument("[ids...]", "the profiles that are used; those left out are not")
    .option("--clear", "use all of them again")
    .action((provider: string, ids: string[], options: Options) => order(io, provider, ids, options));
  add("login", "sign in with a subscription instead of a key, where a provider offers it")
    .argument("<provider>")
    .option("--name <name>", "tells several logins of one provider apart", "login")
    .action((provider: string, options: Options) => login(io, provider, options, loadFlow));
  return auth;
}

async function addKey(io: CliIo, provider: string, options: Options, args: readonly string[]): Promise<void> {
  if (args.length > 1) {
    throw new UsageError("AUTH_KEY_AS_ARGUMENT", "A key must not stand on the command line.", {
      hint: "Others can read it there (ps, the shell's history): if it is in use, replace it. Leave it out and mom asks for it; or pipe it in, or use --key-file.",
    });
  }
  const opened = await openModels(io, options.data, { create: true });
  await ensureProvider(opened, provider);
  const id = buildId(provider, options.name ?? "default");
  ensureFree(await opened.auth.load(), id);
  const key = await readKey(io, provider, options.keyFile);
  if (provider === "anthropic" && key.includes("sk-ant-oat")) {
    throw new UsageError("AUTH_KEY_INVALID", "This is a subscription token, not an API key.", {
      hint: "Add an API key from the Anthropic console, or sign in with the subscription: mom auth login anthropic",
    });
  }
  await opened.auth.update((data) => {
    ensureFree(data, id);
    data.profiles[id] = { type: "api_key", provider, key };
    // What another key of this name did is not this one's.
    delete data.usageStats[id];
  });
  printLines(io, [`added ${id}`]);
  await warnUnlessInLine(io, opened, provider, id);
}

async function list(io: CliIo, options: Options): Promise<void> {
  const opened = await openModels(io, options.data);
  const profiles = await listAll(opened);
  if (options.json) return printJson(io, profiles);
  if (profiles.length === 0) return note(io, "there are no keys yet; add one with: mom auth add <provider>");
  io.stdout.write(`${formatTable(buildProfileColumns(opened.nowMs), profiles).join("\n")}\n`);
}

async function remove(io: CliIo, id: string, { data }: Options): Promise<void> {
  const opened = await openModels(io, data);
  const profiles = await listAll(opened);
  const found = profiles.find((profile) => profile.id === id);
  if (found === undefined) throw buildUnknownProfile(id, profiles);
  if (found.from !== "auth.json") {
    const where = found.from === "config" ? "models.providers in the config" : "an environment variable";
    throw new UsageError("AUTH_PROFILE_NOT_STORED", `${id} is not in auth.json: the key comes from ${where}.`, {
      hint: `Remove it there; or leave it unused with: mom auth order ${id.split(":")[0]} <the others>`,
    });
  }
  await opened.auth.update((auth) => removeProfile(auth, id));
  printLines(io, [`removed ${id}`]);
}

async function order(io: CliIo, provider: string, names: readonly string[], options: Options): Promise<void> {
  const opened = await openModels(io, options.data);
  const { auth, config } = opened;
  await ensureProvider(opened, provider);
  if (options.clear && names.length > 0) {
    throw new UsageError("BAD_USAGE", "--clear takes no ids.", { hint: `mom auth order ${provider} --clear` });
  }
  if (options.clear) {
    await auth.update((data) => void delete data.order?.[provider]);
    return printLines(io, [`${provider}: all profiles are used, or those in auth.order of the config`]);
  }
  if (names.length === 0) {
    const stored = (await auth.load()).order?.[provider];
    const ids = stored ?? config.auth.order[provider];
    const from = stored ? "set here" : "auth.order of the config";
    return printLines(io, ids ? [`${provider}: ${ids.join(", ")} (${from})`] : [`${provider}: all profiles are used`]);
  }
  const known = (await listAll(opened)).filter(({ id }) => id.startsWith(`${provider}:`));
  const ids = names.map((name) => (name.includes(":") ? name : `${provider}:${name}`));
  for (const id of ids) if (!known.some((profile) => profile.id === id)) throw buildUnknownProfile(id, known);
  await auth.update((data) => {
    data.order = { ...data.order, [provider]: [...new Set(ids)] };
  });
  printLines(io, [`${provider}: ${ids.join(", ")}`]);
}

async function login(io: CliIo, provider: string, options: Options, loadFlow: LoadOAuthFlow): Promise<void> {
  const opened = await openModels(io, options.data);
  await ensureProvider(opened, provider);
  const id = buildId(provider, options.name ?? "login");
  const credential = await logIn(io, provider, loadFlow);
  // Signing in again under the same name renews it; a key of that name is never lost.
  await opened.auth.update((data) => {
    if (data.profiles[id]?.type !== "oauth") ensureFree(data, id);
    data.profiles[id] = credential;
    delete data.usageStats[id];
  });
  printLines(io, [`signed in: ${id}`]);
  await warnUnlessInLine(io, opened, provider, id);
}

/** Those of every provider, and those in the file whose provider the config no longer has. */
async function listAll({ models, auth }: OpenModels): Promise<ProfileStatus[]> {
  const profiles = (await models.status()).flatMap((provider) => provider.profiles);
  const { profiles: stored, usageStats } = await auth.load();
  const orphans = Object.entries(stored).filter(([id]) => !profiles.some((profile) => profile.id === id));
  return [
    ...profiles,
    ...orphans.map(([id, { type, provider }]): ProfileStatus => {
      const lastUsed = usageStats[id]?.lastUsed;
      const reason = `there is no provider "${provider}" in the config`;
      const status: ProfileStatus = { id, type, from: "auth.json", state: "disabled", reason, coolingModels: [] };
      return lastUsed === undefined ? status : { ...status, lastUsed };
    }),
  ];
}

async function ensureProvider({ models }: OpenModels, provider: string): Promise<void> {
  // The offline model needs no key, and takes none.
  const names = (await models.status()).map(({ name }) => name).filter((name) => name !== "mom");
  if (names.includes(provider)) return;
  const near = pickNearest(provider, names);
  const guess = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new UsageError("AUTH_PROVIDER_UNKNOWN", `There is no provider "${provider}" that takes a key.${guess}`, {
    hint: `Known are ${names.join(", ")}; others are added under models.providers in the config.`,
  });
}

function buildId(provider: string, name: string): string {
  const isReserved = Object.values(implicitNames).some((reserved) => reserved === name);
  if (/^[A-Za-z0-9][\w.@-]{0,63}$/.test(name) && !isReserved) return `${provider}:${name}`;
  throw new UsageError("AUTH_NAME_INVALID", `"${name}" cannot be the name of a profile.`, {
    hint: `Use letters, digits, dots, dashes and underscores; "${implicitNames.config}" and "${implicitNames.environment}" stand for keys of the config and the environment.`,
  });
}

function ensureFree(data: AuthData, id: string): void {
  if (data.profiles[id] === undefined) return;
  throw new AuthError("AUTH_PROFILE_EXISTS", `There is already a profile ${id}.`, {
    hint: `Choose another name with --name, or remove it first: mom auth remove ${id}`,
  });
}

function buildUnknownProfile(id: string, profiles: readonly ProfileStatus[]): UsageError {
  const ids = profiles.map((profile) => profile.id);
  const near = pickNearest(id, ids);
  const guess = near === undefined ? "" : ` Did you mean ${near}?`;
  return new UsageError("AUTH_PROFILE_UNKNOWN", `There is no profile "${id}".${guess}`, {
    hint: ids.length === 0 ? "There are none; add one with: mom auth add <provider>" : `There are: ${ids.join(", ")}.`,
  });
}

/** An order leaves out what it does not name: a new profile would silently never be used. */
async function warnUnlessInLine(io: CliIo, { auth, config }: OpenModels, provider: string, id: string): Promise<void> {
  const ids = (await auth.load()).order?.[provider] ?? config.auth.order[provider];
  if (ids === undefined || ids.includes(id)) return;
  note(
    io,
    `it is not used yet, because an order is set; use it with: mom auth order ${provider} ${[...ids, id].join(" ")}`,
  );
}
