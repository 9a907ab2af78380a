/**
 * What a skill says about itself beyond the standard: `metadata.mom`, `metadata.openclaw` or `metadata.moltbot`, the first
 * of them that is there; a map, or a text with JSON5. Chiefly what it needs and how people can get it.
 */
import JSON5 from "json5";
import { errorText } from "../../base/errors.ts";
import type { FieldReader, FieldSet } from "./field-reader.ts";
import { isRecord } from "./parse-frontmatter.ts";
import { parseInstall, type SkillInstall } from "./parse-install.ts";
import { isWebAddress } from "./web-address.ts";

export interface SkillMetadata {
  skillKey?: string;
  emoji?: string;
  homepage?: string;
  primaryEnv?: string;
  /** Its needs are not checked. */
  isAlways: boolean;
  /** As in `process.platform`. Empty: any. */
  os: string[];
  bins: string[];
  /** One of them is enough. */
  anyBins: string[];
  env: string[];
  /** Paths of settings in mom's config. */
  config: string[];
  install: SkillInstall[];
}

const keys = ["mom", "openclaw", "moltbot"] as const;
const platforms: Readonly<Record<string, string>> = { macos: "darwin", windows: "win32" };
const programName = { test: /^[\w.+-]{1,64}$/, wanted: "the plain name of a program" };
const variableName = { test: /^[A-Za-z_][A-Za-z0-9_]{0,99}$/, wanted: "the name of an environment variable" };
const settingPath = { test: /^[\w$@:+/#".-]{1,200}$/, wanted: "the path of a setting" };

export function parseMetadata(reader: FieldReader, metadata: unknown): SkillMetadata {
  const fields = pickOurs(reader, metadata);
  if (!fields) return { isAlways: false, os: [], bins: [], anyBins: [], env: [], config: [], install: [] };
  const requires = fields.map("requires");
  const os = fields.texts("os", "error") ?? [];
  return {
    ...readLooks(fields),
    isAlways: fields.flag("always") ?? false,
    os: os.map((name) => platforms[name.toLowerCase()] ?? name.toLowerCase()),
    bins: requires?.texts("bins", "error", programName) ?? [],
    anyBins: requires?.texts("anyBins", "error", programName) ?? [],
    env: requires?.texts("env", "error", variableName) ?? [],
    config: requires?.texts("config", "error", settingPath) ?? [],
    install: (fields.maps("install") ?? []).flatMap(parseInstall),
  };
}

function readLooks(fields: FieldSet): Partial<SkillMetadata> {
  const texts = {
    skillKey: fields.text("skillKey", "warning"),
    emoji: fields.text("emoji", "warning"),
    homepage: readHomepage(fields),
    primaryEnv: fields.texts("primaryEnv", "warning", variableName)?.[0],
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

function readHomepage(fields: FieldSet): string | undefined {
  const text = fields.text("homepage", "warning");
  if (text === undefined || isWebAddress(text)) return text;
  fields.note("warning", "homepage", "must be an http or https address");
  return undefined;
}

/** Metadata of other kinds (`author`, `version` …) is other people's, and fine. */
function pickOurs(reader: FieldReader, metadata: unknown): FieldSet | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const all = toMap(reader, "metadata", metadata);
  const key = all && keys.find((name) => Object.hasOwn(all, name) && all[name] !== null);
  if (!all || key === undefined) return undefined;
  const ours = toMap(reader, `metadata.${key}`, all[key]);
  return ours && reader.read(ours, `metadata.${key}`);
}

function toMap(reader: FieldReader, name: string, value: unknown): Readonly<Record<string, unknown>> | undefined {
  let map = value;
  let problem = "must be a map, or a text with JSON5";
  if (typeof value === "string") {
    try {
      map = JSON5.parse(value);
    } catch (error) {
      problem = `is a text that is not JSON5: ${errorText(error)}`;
    }
  }
  if (isRecord(map)) return map;
  reader.problems.push({ level: "error", message: `${name} ${problem}` });
  return undefined;
}
