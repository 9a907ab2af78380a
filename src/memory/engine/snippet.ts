/** The few lines of a piece that say most about what was sought. */
import { tokenise } from "../text/tokenise.ts";

const mostLines = 8;
const mostChars = 700;

export function buildSnippet(text: string, worth: ReadonlyMap<string, number>): string {
  const lines = text.split("\n");
  const values = lines.map((line) => worthOf(line, worth));
  let best = { from: 0, value: -1 };
  let value = 0;
  for (let at = 0; at < lines.length; at++) {
    value += values[at] ?? 0;
    if (at >= mostLines) value -= values[at - mostLines] ?? 0;
    const from = Math.max(0, at - mostLines + 1);
    if (value > best.value) best = { from, value };
  }
  return cutSnippet(lines.slice(best.from, best.from + mostLines), values.slice(best.from, best.from + mostLines));
}

function worthOf(line: string, worth: ReadonlyMap<string, number>): number {
  return [...new Set(tokenise(line))].reduce((sum, word) => sum + (worth.get(word) ?? 0), 0);
}

/** Lines around the best one go first when it is too much. */
function cutSnippet(lines: string[], values: readonly number[]): string {
  const shown = lines.join("\n").trim();
  if (shown.length <= mostChars) return shown;
  const best = values.indexOf(Math.max(...values));
  const rest = lines.slice(Math.max(0, best)).join("\n").trim();
  return rest.length <= mostChars ? rest : `${rest.slice(0, mostChars - 1).toWellFormed()}…`;
}
