/** `/export`: this conversation as a file: Markdown or HTML to read, JSON lines as it is kept. */

import { formatBytes, formatDay } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { Turn } from "../contracts/turn.ts";
import type { CommandDeps } from "./command-deps.ts";
import { pickChoice } from "./text/arguments.ts";
import { formatNumber } from "./text/format-values.ts";
import { buildDocument, type WholeTranscript } from "./transcript/build-document.ts";
import { formatHtml } from "./transcript/format-html.ts";
import { formatMarkdown } from "./transcript/format-markdown.ts";

type Format = "md" | "html" | "jsonl";

/** Few chats take larger files. */
const maxBytes = 25 * 1024 * 1024;

export function buildExportCommand({
  transcripts,
  saveExport,
}: Pick<CommandDeps, "transcripts" | "saveExport">): Command {
  const command: Command = {
    name: "export",
    usage: "[md|html|jsonl]",
    summary: "this conversation as a file",
    async run({ session, turn, args }) {
      const format = args === "" ? "md" : pickChoice<Format>(command, args, ["md", "html", "jsonl"]);
      const whole = await transcripts.whole(session.sessionKey);
      if (!whole || whole.entries.length === 0) return "There is nothing to export: this conversation is empty.";
      const text = formatters[format](whole, session.label);
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) {
        return `The export has ${formatBytes(bytes)}, too much for a chat (at most ${formatBytes(maxBytes)}). \`/session\` says where the transcript is on the host.`;
      }
      const { path, filename } = await saveExport(turn.route.channel, buildFilename(turn, format), text);
      const what = `${formatNumber(whole.entries.length, "entry", "entries")}, ${formatBytes(bytes)}`;
      return { text: `This conversation, ${what}:`, files: [{ type: "file", path, filename }] };
    },
  };
  return command;
}

const formatters: Record<Format, (whole: WholeTranscript, label: string | undefined) => string> = {
  md: (whole, label) => formatMarkdown(buildDocument(whole, label)),
  html: (whole, label) => formatHtml(buildDocument(whole, label)),
  jsonl: ({ header, entries }) => [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""),
};

/** The same for the same turn, so that a second attempt replaces the file of the first. */
const buildFilename = ({ id, createdAt }: Turn, format: Format) =>
  `conversation-${formatDay(createdAt)}-${id.slice(-6).replace(/[^a-z0-9]/gi, "0")}.${format}`;
