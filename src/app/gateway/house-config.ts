/** The configuration as the gateway shows and edits it: the file as it is written, secrets left out, changes all or none. */
import { createHash } from "node:crypto";
import { createTwoFilesPatch } from "diff";
import JSON5 from "json5";
import { ConfigError } from "../../base/errors.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import {
  type ConfigProblem,
  editConfigAtOnce,
  listWrittenSecrets,
  loadConfig,
  parseConfig,
  parseConfigPath,
  redactConfig,
  redactWritten,
  saveConfigText,
  toJsonSchema,
  toParseDeps,
  valueAt,
} from "../../config/index.ts";
import type { ConfigChange, ConfigOutcome, HouseConfig, HouseProblem } from "../../contracts/gateway.ts";
import { configSchema } from "../config-schema.ts";

interface HouseConfigParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  reload(): Promise<Reloaded>;
}

type Reloaded =
  | { type: "applied" | "unchanged" | "closed" }
  | { type: "invalid"; problems: ConfigProblem[] }
  | { type: "rolled-back"; reasons: string[] };

/** How a secret is shown; a value that is still this was not touched. */
const hidden = "***";

export function createHouseConfig({ dataDir, env, reload }: HouseConfigParts): HouseConfig {
  const load = () => loadConfig(dataDir, { schema: configSchema, env });
  const parseDeps = toParseDeps(dataDir, { schema: configSchema, env });
  // Two edits at a time would each be based on a text that the other replaces.
  const queue = createKeyedQueue();
  let schema: Record<string, unknown> | undefined;

  const apply = async (before: string, after: string, shown: Shown): Promise<ConfigOutcome> => {
    if (after === before) return { type: "unchanged", ...shown, hash: hashOf(before) };
    await saveConfigText(dataDir, after);
    const outcome = await reload();
    if (outcome.type !== "invalid" && outcome.type !== "rolled-back") {
      return { type: outcome.type === "unchanged" ? "unchanged" : "applied", ...shown, hash: hashOf(after) };
    }
    // What does not work is not left lying about for the next start.
    if ((await load()).text === after) await saveConfigText(dataDir, before);
    await reload();
    const reasons = outcome.type === "invalid" ? outcome.problems.map(({ message }) => message) : outcome.reasons;
    return { type: "rolled-back", reasons, diff: shown.diff, hash: hashOf(before) };
  };
  const edit: HouseConfig["edit"] = async (changes, { hash, dryRun }) => {
    const loaded = await load();
    const { text } = loaded;
    if (hash !== undefined && hash !== hashOf(text)) return { type: "conflict", hash: hashOf(text) };
    const edited = await editConfigAtOnce(text, keepHidden(text, changes), parseDeps);
    if (edited.type === "invalid") {
      return { type: "invalid", problems: edited.problems.map(toHouseProblem), diff: "", hash: hashOf(text) };
    }
    const after = edited.type === "ok" ? edited.text : text;
    const parsed = await parseConfig(after, parseDeps);
    const secrets = [loaded, parsed].flatMap((each) => (each.type === "ok" ? each.secrets : []));
    for (const each of [text, after]) secrets.push(...listWrittenSecrets(configSchema, parseWritten(each)));
    const shown = { diff: buildDiff(text, after, secrets), warnings: edited.type === "ok" ? toWarnings(edited) : [] };
    if (dryRun) return { type: "would-apply", ...shown, hash: hashOf(text) };
    return apply(text, after, shown);
  };

  return {
    async read(path) {
      const loaded = await load();
      const secrets = loaded.type === "ok" ? loaded.secrets : [];
      const written = redactConfig(redactWritten(configSchema, parseWritten(loaded.text)), secrets);
      return {
        value: valueAt(written, path === undefined ? [] : parseConfigPath(path)),
        hash: hashOf(loaded.text),
        warnings: (loaded.type === "ok" ? loaded.warnings : loaded.problems).map(toHouseProblem),
      };
    },
    schema: () => (schema ??= toJsonSchema(configSchema)),
    edit: (changes, options) => queue.run("edit", () => edit(changes, options)),
    reload: () =>
      queue.run("edit", async () => {
        const outcome = await reload();
        const hash = hashOf((await load()).text);
        if (outcome.type === "invalid") {
          return { type: "invalid", problems: outcome.problems.map(toHouseProblem), diff: "", hash };
        }
        if (outcome.type === "rolled-back") return { ...outcome, diff: "", hash };
        return { type: outcome.type === "applied" ? "applied" : "unchanged", warnings: [], diff: "", hash };
      }),
  };
}

interface Shown {
  diff: string;
  warnings: string[];
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A file that cannot be read is shown as empty: its problems say why. */
function parseWritten(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch {
    return {};
  }
}

/** Puts back what the client was never shown. */
function keepHidden(text: string, changes: readonly ConfigChange[]): ConfigChange[] {
  const written = parseWritten(text);
  const restore = (value: unknown, path: readonly string[]): unknown => {
    if (value === hidden) {
      const kept = valueAt(written, path);
      if (kept !== undefined) return kept;
      throw new ConfigError("CONFIG_SECRET_UNKNOWN", `There is no secret yet that could stay at ${path.join(".")}`, {
        hint: "Type it in.",
      });
    }
    if (Array.isArray(value)) return value.map((item, at) => restore(item, [...path, String(at)]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restore(item, [...path, key])]));
  };
  return changes.map(({ path, value }) =>
    value === undefined ? { path } : { path, value: restore(value, parseConfigPath(path)) },
  );
}

function buildDiff(before: string, after: string, secrets: readonly string[]): string {
  if (before === after) return "";
  const [old, next] = [before, after].map((text) => String(redactConfig(text, secrets)));
  if (old === next) return "Only secrets differ.";
  return createTwoFilesPatch("config.json", "config.json", old ?? "", next ?? "", "in use", "edited", {
    context: 2,
  });
}

const toWarnings = ({ warnings }: { warnings: { message: string; hint: string }[] }) =>
  warnings.map(({ message, hint }) => `${message}. ${hint}`);

const toHouseProblem = ({ path, message, hint }: HouseProblem): HouseProblem => ({ path, message, hint });
