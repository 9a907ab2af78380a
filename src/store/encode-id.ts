/**
 * Turns ids from platforms, which are untrusted, into folder names: readable where they are harmless, never a path, and
 * no two ids give the same name (where names differ by case). Letters, digits, `-`, `_` and inner dots stay; every other byte becomes `~` and two
 * hexadecimal digits.
 */
import { createHash } from "node:crypto";

const longestName = 120;
/** Names that Windows keeps for devices, whatever their ending. */
const reservedName = /^(con|prn|aux|nul|com\d|lpt\d)($|\.)/i;

export function encodeId(id: string): string {
  if (id === "") return "~";
  let name = "";
  for (const byte of Buffer.from(id, "utf8")) {
    const character = String.fromCharCode(byte);
    name += /[A-Za-z0-9_-]/.test(character) || (character === "." && name !== "") ? character : hex(byte);
  }
  if (name.endsWith(".")) name = `${name.slice(0, -1)}~2e`;
  if (reservedName.test(name)) name = hex(name.charCodeAt(0)) + name.slice(1);
  if (name.length <= longestName) return name;
  // `~~` cannot come out of the encoding above, so a shortened name meets no other.
  return `${name.slice(0, 48)}~~${createHash("sha256").update(id).digest("hex")}`;
}

const hex = (byte: number) => `~${byte.toString(16).padStart(2, "0")}`;

/** The id behind a folder name; undefined when the name was shortened or is not one of ours. */
export function decodeId(name: string): string | undefined {
  if (name === "~") return "";
  if (name.includes("~~")) return undefined;
  const bytes: number[] = [];
  for (let i = 0; i < name.length; i++) {
    if (name[i] !== "~") bytes.push(name.charCodeAt(i));
    else {
      bytes.push(Number.parseInt(name.slice(i + 1, i + 3), 16));
      i += 2;
    }
  }
  const id = Buffer.from(bytes).toString("utf8");
  return encodeId(id) === name ? id : undefined;
}
