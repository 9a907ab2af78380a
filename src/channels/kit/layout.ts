/** Blocks made of characters alone, for dialects that have no lists or tables of their own. */
import stringWidth from "string-width";
import type { ListItem, Table } from "./dialect.ts";

/** The body behind a marker, its further lines below its first. */
export function hangLines(marker: string, body: string): string {
  const indent = " ".repeat(stringWidth(marker));
  return body
    .split("\n")
    .map((line, index) => (index === 0 ? marker + line : line === "" ? "" : indent + line))
    .join("\n");
}

export function prefixLines(prefix: string, body: string): string {
  return body
    .split("\n")
    .map((line) => (prefix + line).trimEnd())
    .join("\n");
}

export function buildList(items: ListItem[], isLoose: boolean, room: number, bullet: string): string {
  const lastNumber = items.at(-1)?.number;
  const digits = lastNumber === undefined ? 0 : String(lastNumber).length;
  const lines = items.map((item) => {
    const sign = item.number === undefined ? bullet : `${String(item.number).padStart(digits)}.`;
    const box = item.isChecked === undefined ? "" : item.isChecked ? "[x] " : "[ ] ";
    const marker = `${sign} ${box}`;
    return hangLines(marker, item.body(Math.max(minRoom, room - stringWidth(marker)))).trimEnd();
  });
  return lines.join(isLoose ? "\n\n" : "\n");
}

/** Aligned columns; where they do not fit, one `header: value` line per cell, which can still be read. */
export function buildTable(table: Table, room: number, strong: (cell: string) => string): string {
  const widths = table.header.map((cell, column) =>
    Math.max(stringWidth(cell), ...table.rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + 3 * (widths.length - 1);
  if (total > room) return buildRecords(table, strong);
  const line = (cells: string[], style: (cell: string) => string) =>
    widths
      .map((width, column) => padCell(cells[column] ?? "", width, table.align[column] ?? "left", style))
      .join(" │ ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [line(table.header, strong), rule, ...table.rows.map((row) => line(row, (cell) => cell))].join("\n");
}

/** Columns that nested blocks get at least, however deep they are. */
export const minRoom = 16;

function buildRecords(table: Table, strong: (cell: string) => string): string {
  const records = table.rows.map((row) =>
    table.header.map((name, column) => `${strong(`${name}:`)} ${row[column] ?? ""}`.trimEnd()).join("\n"),
  );
  return records.length > 0 ? records.join("\n\n") : table.header.map(strong).join(" │ ");
}

function padCell(cell: string, width: number, align: Table["align"][number], style: (cell: string) => string): string {
  const gap = width - stringWidth(cell);
  const before = align === "right" ? gap : align === "center" ? Math.floor(gap / 2) : 0;
  return " ".repeat(before) + style(cell) + " ".repeat(gap - before);
}
