/**
 * Makes foreign text safe to print: control characters, terminal escapes, line separators and direction overrides become
 * visible `\n`, `\u001b` … so that no text can start a line of its own, move the cursor or read backwards.
 */
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line of plain text. The escapes are those of JSON, so that escaping a JSON text keeps it the same JSON value. */
export function toPrintable(text: string): string {
  return text.replace(
    unprintable,
    (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
