/**
 * Third step: lays the schema over the value, before validation. Finds the keys that no schema knows (they become
 * warnings and are dropped, so that upgrades and downgrades start) and the places of secrets.
 */
import { z } from "zod";
import type { ConfigPath } from "./config-path.ts";
import { isSecret } from "./secret.ts";

export interface UnknownKey {
  path: ConfigPath;
  /** The keys that would have been known there. */
  known: readonly string[];
}

export interface SchemaMatch {
  unknown: UnknownKey[];
  secretPaths: ConfigPath[];
}

type Schema = z.core.$ZodType;
type Options = readonly Schema[];

export function matchSchema(schema: Schema, value: unknown, path: ConfigPath = []): SchemaMatch {
  const match = matchKind(schema, value, path);
  if (isSecret(schema)) match.secretPaths.push(path);
  return match;
}

function matchKind(schema: Schema, value: unknown, path: ConfigPath): SchemaMatch {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return matchKeys(value, path, Object.keys(def.shape), (key) =>
        Object.hasOwn(def.shape, key) ? def.shape[key] : openCatchall(def.catchall),
      );
    case "record": {
      const names = def.keyType._zod.values;
      const known = names ? [...names].map(String) : undefined;
      return matchKeys(value, path, known ?? [], (key) => (!known || known.includes(key) ? def.valueType : undefined));
    }
    case "array":
      return matchItems(value, path, () => def.element);
    case "tuple":
      return matchItems(value, path, (i) => def.items[i] ?? def.rest ?? undefined);
    case "union":
      return matchUnion(def.options, "discriminator" in def ? String(def.discriminator) : undefined, value, path);
    case "intersection":
      return both(matchSchema(def.left, value, path), matchSchema(def.right, value, path));
    case "pipe": {
      // A preprocess is a pipe out of a transform: what people may write is described by its far side.
      const isPreprocess = (def.in as z.core.$ZodTypes)._zod.def.type === "transform";
      return matchSchema(isPreprocess ? def.out : def.in, value, path);
    }
    case "lazy":
      return matchSchema(def.getter(), value, path);
    case "optional":
    case "nullable":
    case "nonoptional":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return matchSchema(def.innerType, value, path);
    default:
      return { unknown: [], secretPaths: [] };
  }
}

/** `z.looseObject` and `.catchall(x)` take any key; a strict object's catchall takes none. */
function openCatchall(catchall: Schema | undefined): Schema | undefined {
  return catchall && (catchall as z.core.$ZodTypes)._zod.def.type !== "never" ? catchall : undefined;
}

function matchKeys(
  value: unknown,
  path: ConfigPath,
  known: readonly string[],
  schemaOf: (key: string) => Schema | undefined,
): SchemaMatch {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { unknown: [], secretPaths: [] };
  return joinMatches(
    Object.entries(value).map(([key, child]) => {
      const schema = schemaOf(key);
      const childPath = [...path, key];
      return schema
        ? matchSchema(schema, child, childPath)
        : { unknown: [{ path: childPath, known }], secretPaths: [] };
    }),
  );
}

function matchItems(value: unknown, path: ConfigPath, schemaOf: (i: number) => Schema | undefined): SchemaMatch {
  if (!Array.isArray(value)) return { unknown: [], secretPaths: [] };
  return joinMatches(
    value.map((item, i) => {
      const schema = schemaOf(i);
      return schema ? matchSchema(schema, item, [...path, i]) : { unknown: [], secretPaths: [] };
    }),
  );
}

/** The option that the value means: by its discriminator, else the first that takes it. Without one nothing is unknown. */
function matchUnion(
  options: Options,
  discriminator: string | undefined,
  value: unknown,
  path: ConfigPath,
): SchemaMatch {
  if (discriminator !== undefined && typeof value === "object" && value !== null) {
    const tag: unknown = Reflect.get(value, discriminator);
    const meant = options.find((option) => [...(option._zod.propValues?.[discriminator] ?? [])].some((v) => v === tag));
    if (meant) return matchSchema(meant, value, path);
  }
  const secretPaths: ConfigPath[] = [];
  for (const option of options) {
    const match = matchSchema(option, value, []);
    const here = {
      unknown: match.unknown.map(({ path: inner, known }) => ({ path: [...path, ...inner], known })),
      secretPaths: match.secretPaths.map((inner) => [...path, ...inner]),
    };
    if (z.safeParse(option, dropKeys(value, match.unknown)).success) return here;
    secretPaths.push(...here.secretPaths);
  }
  return { unknown: [], secretPaths };
}

/** Of two schemas that both apply, a key is unknown only where neither knows it. */
function both(left: SchemaMatch, right: SchemaMatch): SchemaMatch {
  const unknown = left.unknown.flatMap((key) => {
    const other = right.unknown.find(({ path }) => JSON.stringify(path) === JSON.stringify(key.path));
    return other ? [{ path: key.path, known: [...key.known, ...other.known] }] : [];
  });
  return { unknown, secretPaths: [...left.secretPaths, ...right.secretPaths] };
}

function joinMatches(matches: readonly SchemaMatch[]): SchemaMatch {
  return {
    unknown: matches.flatMap(({ unknown }) => unknown),
    secretPaths: matches.flatMap(({ secretPaths }) => secretPaths),
  };
}

/** The value without the unknown keys; the given one stays as it is. */
export function dropKeys(value: unknown, unknown: readonly UnknownKey[]): unknown {
  if (unknown.length === 0) return value;
  const copy = structuredClone(value);
  for (const { path } of unknown) {
    let parent: unknown = copy;
    for (const segment of path.slice(0, -1)) parent = Reflect.get(Object(parent), segment);
    const last = path.at(-1);
    if (last !== undefined && typeof parent === "object" && parent !== null) Reflect.deleteProperty(parent, last);
  }
  return copy;
}
