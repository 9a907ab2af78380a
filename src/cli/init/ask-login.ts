/** Asks for what a platform's login is made of, each until it looks right. Secrets are not shown while they are typed. */
import { toPrintable } from "../../base/printable.ts";
import type { LoginField } from "../../channels/index.ts";
import type { CliIo } from "../io.ts";
import { note } from "../print.ts";
import type { Prompter } from "../prompter.ts";

const mostTries = 5;

/** Lists may be left empty. Gives up on a field after a few wrong answers, as a piped input would never end otherwise. */
export async function askLogin(
  io: CliIo,
  prompter: Prompter,
  fields: readonly LoginField[],
): Promise<Record<string, string | string[]>> {
  const answers: Record<string, string | string[]> = {};
  for (const field of fields) answers[field.key] = await askField(io, prompter, field);
  return answers;
}

async function askField(io: CliIo, prompter: Prompter, field: LoginField): Promise<string | string[]> {
  const { label, hint, isSecret, pattern, isList } = field;
  note(io, `${label}: ${hint}`);
  for (let tries = 1; ; tries++) {
    const typed = (await prompter.ask(`${label}${isSecret ? " (it is not shown)" : ""}:`, { isSecret })).trim();
    const values = isList ? typed.split(/[\s,]+/).filter((value) => value !== "") : [typed];
    const wrong = values.find((value) => !pattern.test(value));
    if (wrong === undefined || tries === mostTries) return isList ? values : typed;
    note(io, `${isSecret ? "That" : `"${toPrintable(wrong)}"`} does not look like it. ${hint}`);
  }
}
