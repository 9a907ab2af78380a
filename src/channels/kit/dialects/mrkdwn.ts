/** Slack's own marks. Whatever is between `<` and `>` is a command to Slack, so text never holds either. */
import type { Dialect } from "../dialect.ts";
import type { MentionWriter } from "../mentions.ts";
import { buildStarMarks } from "./star-marks.ts";

export function createMrkdwnDialect(mentions?: MentionWriter): Dialect {
  return { ...buildStarMarks(escapeMrkdwn, formatLink), mentions };
}

const escapeMrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function formatLink(label: string, url: string): string {
  const address = escapeMrkdwn(url);
  return label === "" ? `<${address}>` : `<${address}|${label.replaceAll("\n", " ")}>`;
}
