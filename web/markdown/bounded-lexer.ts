/**
 * Marked's lexer with limits: some texts cost it seconds, or its whole stack. What lies too deep, is too long or has too many
 * marks stays plain text, where it stands; what is too much altogether throws. Pure.
 */
import { Lexer, type MarkedOptions, type Token, type TokensList } from "marked";

/** Of quotes and lists in each other. */
const mostDepth = 20;
/** Of one paragraph, heading, cell: each mark is held against those before it. */
const mostMarks = 600;
/** Of marks, over all paragraphs. */
const mostPairs = 5_000_000;
const longestInline = 16_384;
/** How often the text may be gone through, over all depths, and what is allowed to short ones. */
const mostPasses = 2 * mostDepth;
const leastWork = 200_000;
const inlineCost = 20;
const longGap = /[ \t]{200}/;

export class BoundedLexer extends Lexer {
  #depth = 0;
  #pairs = mostPairs;
  #work: number;

  constructor(options: MarkedOptions, length: number) {
    super(options);
    this.#work = Math.max(leastWork, mostPasses * length);
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    this.#spend(src.length);
    if (this.#depth > mostDepth) {
      tokens.push({ type: "paragraph", raw: src, text: src, tokens: toPlainTokens(src) });
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inline(src: string, tokens: Token[] = []): Token[] {
    // A table of a few bytes may have millions of empty cells.
    this.#spend(inlineCost);
    if (this.#mayRead(src)) return super.inline(src, tokens);
    tokens.push(...toPlainTokens(src));
    return tokens;
  }

  #mayRead(text: string): boolean {
    if (text.length > longestInline || longGap.test(text)) return false;
    const marks = countMarks(text);
    const pairs = marks * marks;
    if (marks > mostMarks || pairs > this.#pairs) return false;
    this.#pairs -= pairs;
    return true;
  }

  #spend(work: number): void {
    this.#work -= work;
    if (this.#work < 0) throw new RangeError("This takes too long to read as Markdown.");
  }
}

function countMarks(text: string): number {
  let marks = 0;
  for (const character of text) if ("*_~[]`<!\\".includes(character)) marks += 1;
  return marks;
}

/** Its lines stay lines. */
const toPlainTokens = (text: string): Token[] =>
  text.split("\n").flatMap((line, n): Token[] => {
    const said: Token = { type: "text", raw: line, text: line, escaped: false };
    return n === 0 ? [said] : [{ type: "br", raw: "\n" }, said];
  });
