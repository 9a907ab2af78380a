/** Reads columns of a row as what the schema says they are. */
import type { SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

export const text = (row: Row, column: string): string => String(row[column]);
export const number = (row: Row, column: string): number => Number(row[column]);
export const optionalText = (row: Row, column: string): string | undefined =>
  row[column] === null || row[column] === undefined ? undefined : String(row[column]);
/** Written by this room with `JSON.stringify`, so its shape is known. */
export const json = <T>(row: Row, column: string): T => JSON.parse(text(row, column));
