/** Structured log. The sink redacts known secrets; callers pass facts as fields, not glued into the text. */
export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

export interface Log {
  debug(text: string, fields?: LogFields): void;
  info(text: string, fields?: LogFields): void;
  warn(text: string, fields?: LogFields): void;
  /** Something an operator should look at. Pass the failure as `error`: its code, hint and cause chain are written out. */
  error(text: string, fields?: LogFields): void;
  /** The same log with `fields` on every line. */
  with(fields: LogFields): Log;
}
