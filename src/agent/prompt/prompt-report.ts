/** The prompt's parts and what each of them costs, as a table for `mom prompt show`. */
import type { PromptSection } from "./prompt-facts.ts";
import { joinSections, sectionGap } from "./system-prompt.ts";

/** Lines, the titles first and the total last. A section counts with the empty line behind it, so that the sum is right. */
export function formatPromptReport(sections: readonly PromptSection[]): string[] {
  const totalBytes = Buffer.byteLength(joinSections(sections));
  const rows = sections.map(({ name, text, isVolatile }, at) => {
    const bytes = Buffer.byteLength(at < sections.length - 1 ? text + sectionGap : text);
    return toRow(name, bytes, totalBytes, isVolatile ? "may change between turns" : "");
  });
  const table = [["section", "bytes", "share", ""], ...rows, toRow("total", totalBytes, totalBytes, "")];
  const nameWidth = Math.max(...table.map(([name = ""]) => name.length));
  return table.map(([name = "", bytes = "", share = "", note = ""]) =>
    `${name.padEnd(nameWidth)}  ${bytes.padStart(6)}  ${share.padStart(5)}  ${note}`.trimEnd(),
  );
}

function toRow(name: string, bytes: number, totalBytes: number, note: string): string[] {
  const share = totalBytes === 0 ? 0 : Math.round((bytes / totalBytes) * 100);
  return [name, String(bytes), `${share} %`, note];
}
