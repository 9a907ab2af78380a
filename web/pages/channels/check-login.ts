/** What is wrong with the form that adds a login, before the platform is asked. */
import { GatewayFault, type LoginFieldSummary } from "../../../src/gateway/protocol/index.ts";
import { checkField, type Typed } from "../welcome/login-form.ts";

/** As the config takes names of adapters. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function checkName(name: string, taken: readonly string[]): string | undefined {
  if (name === "") return "Give it a name.";
  if (!namePattern.test(name))
    return "Letters, digits, dots, dashes and underscores only, beginning with a letter or digit.";
  return taken.includes(name) ? "There is a login of this name already." : undefined;
}

/** By key of the field. Lists may be left empty: people can be let in later. */
export function checkFields(fields: readonly LoginFieldSummary[], typed: Typed): Record<string, string> {
  const wrong = fields.flatMap((field) => {
    const problem = checkField(field, typed[field.key] ?? "", { isFinal: !field.isList });
    return problem === undefined ? [] : [[field.key, problem] as const];
  });
  return Object.fromEntries(wrong);
}

/** What the platform's refusal says to do. */
export function readFix(error: unknown): string | undefined {
  const details = error instanceof GatewayFault ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("fix" in details)) return undefined;
  return typeof details.fix === "string" && details.fix !== "" ? details.fix : undefined;
}
