/**
 * A text as its structure: what Markdown meant, cleaned and free of any platform. `parse-document.ts` makes it,
 * `render-document.ts` writes it in a dialect, `cut-document.ts` cuts it in two.
 */
export type Inline =
  | { type: "text"; words: string }
  | { type: "strong" | "emphasis" | "strike"; inner: Inline[] }
  /** `url` is http, https or mailto. Without a label the address stands for itself. */
  | { type: "link"; url: string; inner: Inline[] }
  | { type: "image"; url: string; alt: string }
  | { type: "code"; code: string }
  /** A name that the platform knows: `written` is the platform's own mention, `words` what the model wrote. */
  | { type: "mention"; written: string; words: string }
  | { type: "break" };

export type Block =
  | { type: "paragraph"; inner: Inline[] }
  | { type: "heading"; depth: number; inner: Inline[] }
  /** `code` has no newline at its end. */
  | { type: "code"; code: string; language: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; isLoose: boolean; items: Item[] }
  | { type: "table"; header: Inline[][]; rows: Inline[][][]; align: ("left" | "center" | "right")[] }
  | { type: "rule" };

export interface Item {
  /** Its number in an ordered list. */
  number?: number;
  /** Set on a task. */
  isChecked?: boolean;
  /** It began in an earlier post. */
  isContinued?: boolean;
  blocks: Block[];
}
