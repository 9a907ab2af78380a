/** The doctor's findings as the page shows them: the worst first, and the commands in a fix told apart from its words. */
import type { FindingSummary } from "../../../src/gateway/protocol/index.ts";

export type FixPart = { type: "text"; text: string } | { type: "command"; text: string };

const order = ["fail", "warn", "ok"] as const;

export function groupFindings(
  findings: readonly FindingSummary[],
): { level: FindingSummary["level"]; findings: FindingSummary[] }[] {
  return order
    .map((level) => ({ level, findings: findings.filter((finding) => finding.level === level) }))
    .filter((group) => group.findings.length > 0);
}

/** What a command line begins with, in the fixes that mom gives. */
const programs =
  "mom|npm|npx|chmod|chown|mv|cp|rm|mkdir|sudo|apt|apt-get|dnf|brew|docker|sysctl|loginctl|systemctl|ollama|export";
const quoted = /`([^`\n]+)`/g;
/** The whole fix, or all that stands behind its last colon. */
const wholeCommand = new RegExp(`^(?:${programs}) \\S[^\\n]*$`);
const behindColon = new RegExp(`: ((?:${programs}) \\S[^\\n]*)$`);

export function splitFix(fix: string): FixPart[] {
  if (wholeCommand.test(fix) && !/[.;] [A-Z]/.test(fix)) return [{ type: "command", text: fix }];
  const end = behindColon.exec(fix);
  const words = end ? fix.slice(0, end.index + 2) : fix;
  const parts: FixPart[] = [];
  let at = 0;
  for (const match of words.matchAll(quoted)) {
    parts.push({ type: "text", text: words.slice(at, match.index) }, { type: "command", text: match[1] ?? "" });
    at = match.index + match[0].length;
  }
  parts.push({ type: "text", text: words.slice(at) });
  if (end?.[1] !== undefined) parts.push({ type: "command", text: end[1] });
  return parts.filter(({ text }) => text !== "");
}

/** For a bug report or a colleague. */
export function formatFindings(findings: readonly FindingSummary[]): string {
  return findings
    .map(
      ({ level, check, detail, fix }) =>
        `${level.padEnd(4)} ${check}: ${detail}${fix === undefined ? "" : `\n     fix: ${fix}`}`,
    )
    .join("\n");
}
