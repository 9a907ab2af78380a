/** What is wrong with a config, as values: refused (problem) or only odd (warning). Made here, printed by the CLI and the log. */
import { type ConfigPath, formatConfigPath } from "./config-path.ts";

export interface ConfigProblem {
  /** Dotted path of the key, e.g. `models.providers.lab.baseUrl`; empty when it is about the file as a whole. */
  path: string;
  /** What stands there. Never the text of a secret. */
  found: string;
  /** What may stand there. */
  allowed: string;
  /** One line: path, found, allowed. */
  message: string;
  /** What to do, one sentence. */
  hint: string;
  /** On syntax errors: where (both from 1), and the line with a caret under the place; values in it are masked. */
  location?: { line: number; column: number; excerpt: string };
}

export interface ConfigWarning {
  path: string;
  /** One line. */
  message: string;
  hint: string;
}

export function buildProblem(path: ConfigPath, found: string, allowed: string, hint: string): ConfigProblem {
  const name = formatConfigPath(path);
  const message =
    found === "nothing"
      ? `${name || "config.json"}: missing, expected ${allowed}`
      : `${name || "config.json"}: found ${found}, expected ${allowed}`;
  return { path: name, found, allowed, message, hint };
}

/** All problems for a terminal: message, excerpt and hint each. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ message, location, hint }) => {
      const excerpt = location ? `\n${indent(location.excerpt)}` : "";
      return `- ${message}${excerpt}\n${indent(hint)}`;
    })
    .join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
