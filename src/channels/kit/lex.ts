/**
 * The lexer of `marked`, made fit for foreign text: no input may take long or end the process. What it refuses to see as
 * structure is still there as text.
 */
import { Lexer, type Links, type Token, Tokenizer, type Tokens } from "marked";

/** The lexer's inline rules are not linear; a longer block is shown as plain words. */
const maxInlineLength = 16_384;
/** Quotes and lists in one another. Deeper ones are text. */
const maxDepth = 12;
/** Rows are filled up to the columns of the header, so a wide one multiplies. */
const maxColumns = 40;
/** Words up to the next mark. Unlike the lexer's own rule it does not look for mail addresses, which takes quadratic time. */
const plainWords =
  /^(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|[\s\S]*?(?:(?=[\\<![`*~_]|\b_|(?<![a-zA-Z0-9])https?:\/\/|$)|[^ ](?= {2,}\n)))/;

export interface Lexed {
  tokens: Token[];
  /** Addresses of the definitions (`[a]: https://…`) that a link refers to. */
  usedAddresses: ReadonlySet<string>;
}

/** Throws a RangeError where the nesting is deeper than the lexer can follow. */
export function lex(text: string): Lexed {
  const tokenizer = new HouseTokenizer();
  const lexer = new Lexer({ gfm: true, tokenizer });
  const { rules } = tokenizer;
  rules.inline = { ...rules.inline, text: plainWords };
  // Its search for boxes may take one from another item; `parse-document.ts` looks for them itself.
  rules.other = { ...rules.other, listIsTask: /(?!)/ };
  const tokens = lexer.blockTokens(text, []);
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    if (src.length > maxInlineLength) inline.push({ type: "text", raw: src, text: src });
    else lexer.inlineTokens(src, inline);
  }
  return { tokens, usedAddresses: tokenizer.usedAddresses };
}

class HouseTokenizer extends Tokenizer {
  readonly usedAddresses = new Set<string>();
  #depth = 0;

  /** Bare addresses are words; they are tokens only so that marks inside them mean nothing. An entity at the end is none of it. */
  override url(src: string): Tokens.Link | undefined {
    const found = /^https?:\/\/(?=[\p{L}\p{N}[_])[^\s<]*[^\s<?!.,:;*_~'")\]]/iu.exec(src)?.[0];
    if (!found) return undefined;
    const url = src[found.length] === ";" ? found.replace(/&#?\w+$/, "") : found;
    const tokens = [{ type: "text" as const, raw: url, text: url }];
    return { type: "link", raw: url, text: url, href: url, title: null, tokens };
  }

  /** HTML is text, so nothing of it holds for what follows. */
  override tag(src: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const tag = super.tag(src);
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return tag;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#nest(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#nest(() => super.list(src));
  }

  override table(src: string): Tokens.Table | undefined {
    const header = src.slice(0, src.indexOf("\n"));
    if (header.split("|", maxColumns + 2).length > maxColumns + 1) return undefined;
    const table = super.table(src);
    const lines = table?.raw.split("\n").slice(2) ?? [];
    for (const [index, line] of lines.entries()) this.#keepSurplus(table?.rows[index] ?? [], line);
    return table;
  }

  override reflink(src: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    const token = super.reflink(src, links);
    if (token && "href" in token) this.usedAddresses.add(token.href);
    return token;
  }

  /** A row with more cells than the header would lose them: they stay in the last one, as they were written. */
  #keepSurplus(row: Tokens.TableCell[], line: string): void {
    const cells = line
      .trim()
      .replace(/^\||(?<!\\)\|$/g, "")
      .split(/(?<!\\)\|/);
    const last = row.at(-1);
    if (!last || cells.length <= row.length) return;
    last.text = cells
      .slice(row.length - 1)
      .join("|")
      .replaceAll("\\|", "|")
      .trim();
    last.tokens = this.lexer.inline(last.text);
  }

  #nest<T>(parse: () => T | undefined): T | undefined {
    if (this.#depth >= maxDepth) return undefined;
    this.#depth++;
    try {
      return parse();
    } finally {
      this.#depth--;
    }
  }
}
