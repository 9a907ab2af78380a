/** Rows and columns. On a phone each row becomes a small card, with the column's name before each value. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  key: string;
  label: string;
  render(row: Row): ComponentChildren;
  /** Right-aligned, digits of one width. */
  isNumber?: boolean;
  /** Takes what width is left. */
  isWide?: boolean;
}

interface TableProps<Row> {
  /** What the table is of; read out. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div class="table-frame">
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, label, isNumber, isWide }) => (
              <th key={key} scope="col" class={classOf(isNumber, isWide)}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, label, render, isNumber, isWide }) => (
                <td key={key} data-label={label} class={classOf(isNumber, isWide)}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (isNumber = false, isWide = false) => `${isNumber ? "is-number" : ""} ${isWide ? "is-wide" : ""}`;
