/** The configuration: read, edit, apply. Secrets never leave the house. */
import type { ConfigChange, ConfigOutcome, HouseProblem } from "../../contracts/gateway.ts";
import type { Result } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid } from "./refusals.ts";

type Names = "config.get" | "config.schema" | "config.set" | "config.patch" | "config.apply";

export function buildConfigMethods({ house: { config } }: MethodDeps): Group<Names> {
  return {
    async "config.get"({ path }) {
      const { value = null, hash, warnings } = await config.read(path);
      return { value, hash, warnings: warnings.map(toProblem) };
    },
    "config.schema": async () => ({ schema: config.schema() }),
    "config.set": async ({ hash, ...change }) => toApplied(await config.edit([toChange(change)], toOptions(hash))),
    async "config.patch"({ changes, dryRun, hash }) {
      const outcome = await config.edit(changes.map(toChange), { ...toOptions(hash), ...(dryRun && { dryRun }) });
      return toPatched(outcome);
    },
    "config.apply": async () => toApplied(await config.reload()),
  };
}

/** Without a value the key is removed. */
const toChange = ({ path, value }: { path: string; value?: unknown }): ConfigChange => ({
  path,
  ...(value !== undefined && { value }),
});

const toOptions = (hash: string | undefined) => (hash === undefined ? {} : { hash });

const toProblem = ({ path, message, hint }: HouseProblem): HouseProblem => ({ path, message, hint });

function toApplied(outcome: ConfigOutcome): Result<"config.apply"> {
  const { outcome: type, reasons, problems, warnings, hash } = toPatched(outcome);
  if (type === "invalid") {
    throw invalid("The configuration would not be usable; nothing was changed", { problems, hash });
  }
  // Only a dry run ends so, and none was asked for.
  if (type === "would-apply") throw invalid("Nothing was changed: it was only tried");
  return { outcome: type, reasons, warnings, hash };
}

function toPatched(outcome: ConfigOutcome): Result<"config.patch"> {
  if (outcome.type === "conflict") {
    throw invalid("Somebody else has changed the configuration meanwhile; load it again", { hash: outcome.hash });
  }
  const { type, diff, hash } = outcome;
  return {
    outcome: type,
    reasons: type === "rolled-back" ? outcome.reasons : [],
    problems: type === "invalid" ? outcome.problems.map(toProblem) : [],
    warnings: "warnings" in outcome ? outcome.warnings : [],
    diff,
    hash,
  };
}
