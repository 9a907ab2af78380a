/** Reads columns of a row as what the schema says they are, and builds the condition of a filtered list. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

export const text = (row: Row, column: string): string => String(row[column]);
export const number = (row: Row, column: string): number => Number(row[column]);
export const optionalText = (row: Row, column: string): string | undefined =>
  row[column] === null || row[column] === undefined ? undefined : String(row[column]);
/** Written by this room with `JSON.stringify`, so its shape is known. */
export const json = <T>(row: Row, column: string): T => JSON.parse(text(row, column));

/** `WHERE a IN (…) AND b IN (…)` for the columns that have values given; nothing where none has. */
export function buildWhere(filter: Record<string, readonly string[] | undefined>): {
  sql: string;
  values: SQLInputValue[];
} {
  const given = Object.entries(filter).flatMap(([column, values]) => (values ? [{ column, values }] : []));
  const terms = given.map(({ column, values }) => `${column} IN (${values.map(() => "?").join(", ")})`);
  return {
    sql: terms.length > 0 ? `WHERE ${terms.join(" AND ")}` : "",
    values: given.flatMap(({ values }) => [...values]),
  };
}
