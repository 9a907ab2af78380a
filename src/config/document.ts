/**
 * The text of a config as a tree of places, for edits that leave every other character alone. Reads tokens only: the text
 * is known to be JSON5 already. (The token package's own tree refuses `default:` as a key and loses comments on delete.)
 */
import { JsonLexer, type JsonToken } from "@croct/json5-parser";
import JSON5 from "json5";

/** An entry of an object or a list. Offsets are UTF-16 positions in the text; `end` is exclusive. */
export interface DocumentMember {
  /** The key, or the index as digits. */
  name: string;
  /** Where the key begins; in lists, where the value begins. */
  start: number;
  value: DocumentValue;
  /** Behind the comma that follows; undefined where there is none. */
  commaEnd?: number;
}

export interface DocumentValue {
  type: "object" | "array" | "primitive";
  start: number;
  end: number;
  /** In order; empty for primitives. */
  members: DocumentMember[];
}

interface Token {
  type: string;
  text: string;
  start: number;
  end: number;
}

/** Throws when the token package cannot read the text (`\u0061` in an unquoted key is one such case). */
export function parseDocument(text: string): DocumentValue {
  const tokens = readTokens(text);
  let at = 0;
  const peek = () => tokens[at];
  const take = (): Token => {
    const token = tokens[at++];
    if (!token) throw new SyntaxError("The text ends too early.");
    return token;
  };

  const readValue = (): DocumentValue => {
    const first = take();
    if (first.type === "BRACE_LEFT") return readMembers("object", first, "BRACE_RIGHT");
    if (first.type === "BRACKET_LEFT") return readMembers("array", first, "BRACKET_RIGHT");
    return { type: "primitive", start: first.start, end: first.end, members: [] };
  };

  const readMembers = (type: "object" | "array", open: Token, closing: string): DocumentValue => {
    const members: DocumentMember[] = [];
    while (peek()?.type !== closing) {
      const start = peek()?.start ?? open.end;
      const name = type === "array" ? String(members.length) : readKey(take());
      if (type === "object") take();
      const value = readValue();
      const comma = peek()?.type === "COMMA" ? take() : undefined;
      members.push({ name, start, value, ...(comma && { commaEnd: comma.end }) });
    }
    return { type, start: open.start, end: take().end, members };
  };

  return readValue();
}

function readKey(token: Token): string {
  return token.type === "STRING" ? String(JSON5.parse(token.text)) : token.text;
}

/** Own offsets, because the package counts code points. Comments and spaces are left out. */
function readTokens(text: string): Token[] {
  const skipped = new Set(["WHITESPACE", "NEWLINE", "LINE_COMMENT", "BLOCK_COMMENT", "EOF"]);
  const tokens: Token[] = [];
  let offset = 0;
  for (const { type, value } of JsonLexer.tokenize(text) as readonly JsonToken[]) {
    const start = offset;
    offset += value.length;
    if (!skipped.has(type)) tokens.push({ type, text: value, start, end: offset });
  }
  return tokens;
}
