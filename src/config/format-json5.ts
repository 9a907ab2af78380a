/** A value as JSON5 text in the style of the file that it goes into. */
export interface Json5Style {
  /** What one level is indented by. */
  unit: string;
  /** `\n` or `\r\n`. */
  lineBreak: string;
  /** Keys without quotes where JSON5 allows it. */
  bareKeys: boolean;
  /** A comma behind the last entry of what stands on several lines. */
  trailingComma: boolean;
}

const bareKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

export function formatKey(key: string, style: Json5Style): string {
  return style.bareKeys && bareKey.test(key) ? key : formatString(key);
}

/** `margin`: the indentation of the line on which the value begins; undefined puts all of it on that one line. */
export function formatJson5(value: unknown, style: Json5Style, margin: string | undefined): string {
  if (typeof value === "string") return formatString(value);
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  const entries = isList ? [...value] : Object.entries(value);
  if (entries.length === 0) return isList ? "[]" : "{}";
  const isInline = margin === undefined || (isList && entries.every((entry) => typeof entry !== "object"));
  const inner = isInline ? undefined : margin + style.unit;
  const parts = isList
    ? value.map((entry) => formatJson5(entry, style, inner))
    : Object.entries(value).map(([key, child]) => `${formatKey(key, style)}: ${formatJson5(child, style, inner)}`);
  if (inner === undefined) return isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  const lines = parts.map((part) => `${style.lineBreak}${inner}${part}`).join(",");
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}${lines}${style.trailingComma ? "," : ""}${style.lineBreak}${margin}${close}`;
}

/** Line separators are escaped too: JSON5 readers warn about bare ones. */
function formatString(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
}
