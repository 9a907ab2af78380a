/** Blocks made of characters alone, for dialects that have no lists or tables of their own. */
import stringWidth from "string-width";
import type { Cell, ListItem, Table } from "./dialect.ts";
import { hasInk } from "./ink.ts";

/** Columns that nested blocks get at least, however deep they are. */
export const minRoom = 16;
/** A wider table cannot be read in a chat, and not everything can be lined up with one endless cell. */
const maxTableColumns = 100;
/** Stands for the newlines of a block that is never indented or prefixed. No character: text cannot hold it. */
const keptNewline = "\ufdd0";

/** Makes the lines of code one, so that whatever the code stands in leaves them alone. */
export const keepLines = (code: string): string => code.replaceAll("\n", keptNewline);
export const restoreLines = (text: string): string => text.replaceAll(keptNewline, "\n");

/** The body behind a marker, its further lines below its first. */
export function hangLines(marker: string, body: string, width = stringWidth(marker)): string {
  const [first = "", ...others] = body.split("\n");
  const start = isKept(first) ? `${marker.trimEnd()}\n${first}` : marker + first;
  if (others.length === 0) return start;
  const indent = " ".repeat(width);
  return [start, ...others.map((line) => (line === "" || isKept(line) ? line : indent + line))].join("\n");
}

/** Lines that are kept, and those that part them from others, stay outside. */
export function prefixLines(prefix: string, body: string): string {
  const lines = body.split("\n");
  const isOutside = (line: string, index: number) =>
    isKept(line) || (line === "" && [lines[index - 1], lines[index + 1]].some((beside = "") => isKept(beside)));
  return lines.map((line, index) => (isOutside(line, index) ? line : (prefix + line).trimEnd())).join("\n");
}

const isKept = (line: string): boolean => line.includes(keptNewline);

/** Every character of them is one column wide. */
export interface ListSigns {
  bullet: string;
  /** Not done and done. */
  boxes?: readonly [string, string];
  /** Numbers end below each other; for letters of one width. */
  isAligned?: true;
}

export function buildList(items: ListItem[], isLoose: boolean, room: number, signs: ListSigns): string {
  const { bullet, boxes = ["[ ]", "[x]"], isAligned } = signs;
  const digits = isAligned ? String(items.at(-1)?.number ?? "").length : 0;
  const lines = items.map((item) => {
    const sign = item.number === undefined ? bullet : `${String(item.number).padStart(digits)}.`;
    const marker = item.isChecked === undefined ? `${sign} ` : `${sign} ${boxes[item.isChecked ? 1 : 0]} `;
    const shown = item.isContinued ? " ".repeat(marker.length) : marker;
    return hangLines(shown, item.body(Math.max(minRoom, room - marker.length)), marker.length).trimEnd();
  });
  return lines.join(isLoose ? "\n\n" : "\n");
}

/** Aligned columns; where they do not fit, one `header: value` line per cell, which can still be read. */
export function buildTable(table: Table, room: number, strong: (cell: string) => string): string {
  return buildGrid(table, room, (cell) => cell.inner.replaceAll("\n", " "), strong) ?? buildRecords(table, strong);
}

/** The same for dialects in which only code keeps columns in line. */
export function buildCodeTable(
  table: Table,
  writeCode: (code: string) => string,
  strong: (cell: string) => string,
): string {
  const grid = buildGrid(
    table,
    76,
    (cell) => cell.plain,
    (cell) => cell,
  );
  return grid === undefined ? buildRecords(table, strong) : writeCode(grid);
}

function buildGrid(
  table: Table,
  room: number,
  show: (cell: Cell) => string,
  strong: (cell: string) => string,
): string | undefined {
  const header = table.header.map(show);
  const rows = table.rows.map((row) => row.map(show));
  const widths = header.map((cell, column) =>
    rows.reduce((width, row) => Math.max(width, stringWidth(row[column] ?? "")), stringWidth(cell)),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + 3 * (widths.length - 1);
  if (total > Math.min(room, maxTableColumns)) return undefined;
  const line = (cells: string[], style: (cell: string) => string) =>
    widths
      .map((width, column) => padCell(cells[column] ?? "", width, table.align[column] ?? "left", style))
      .join(" │ ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [line(header, strong), rule, ...rows.map((row) => line(row, (cell) => cell))].join("\n");
}

/** Long names are not said again in every record. No cell begins a line, where it could be more than a cell. */
function buildRecords({ header, rows }: Table, strong: (cell: string) => string): string {
  const names = header.map(({ inner }) => (hasInk(inner) ? strong(inner) : ""));
  if (rows.length === 0 || names.join("").length > maxTableColumns) {
    const lines = rows.map((row) => row.map(({ inner }) => inner));
    return [names, ...lines].map((cells) => `│ ${cells.join(" │ ")}`).join("\n");
  }
  const writeCell = ({ inner }: Cell, column: number) => `${names[column] ? `${names[column]}:` : "│"} ${inner}`.trim();
  return rows.map((row) => row.map(writeCell).join("\n")).join("\n\n");
}

function padCell(cell: string, width: number, align: Table["align"][number], style: (cell: string) => string): string {
  const gap = width - stringWidth(cell);
  const before = align === "right" ? gap : align === "center" ? Math.floor(gap / 2) : 0;
  return " ".repeat(before) + style(cell) + " ".repeat(gap - before);
}
