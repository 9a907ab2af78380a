/** The adapter that a person names on the command line. */
import type { MomConfig } from "../app/index.ts";
import { UsageError } from "../base/errors.ts";
import { pickNearest } from "../base/nearest.ts";

export type AdapterConfig = MomConfig["adapters"][string];

/** Throws `UNKNOWN_ADAPTER`, with the nearest name that there is. */
export function findAdapter({ adapters }: Pick<MomConfig, "adapters">, name: string): AdapterConfig {
  const found = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
  if (found) return found;
  const names = Object.keys(adapters);
  const near = pickNearest(name, names);
  const hint = near === undefined ? `The config has: ${names.join(", ") || "none"}.` : `Did you mean "${near}"?`;
  throw new UsageError("UNKNOWN_ADAPTER", `The config has no adapter "${name}".`, { hint });
}
