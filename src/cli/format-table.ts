/** Rows as aligned columns, for lists in a terminal. */
import stringWidth from "string-width";
import { toPrintable } from "../base/printable.ts";

export interface Column<Item> {
  title: string;
  /** Numbers stand to the right. */
  align?: "right";
  toText(item: Item): string;
}

/** Lines, the titles first. Foreign text in cells cannot break the layout. */
export function formatTable<Item>(columns: readonly Column<Item>[], items: readonly Item[]): string[] {
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map(({ toText }) => toPrintable(toText(item)))),
  ];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const space = " ".repeat((widths[at] ?? 0) - stringWidth(cell));
        return columns[at]?.align === "right" ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd(),
  );
}
