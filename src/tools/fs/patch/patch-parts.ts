/** A patch as data: what either way of writing one (`parse-patch.ts`, `parse-unified-diff.ts`) comes to. */
export interface HunkLine {
  type: "keep" | "remove" | "add";
  text: string;
}

export interface Hunk {
  /** Lines to be found one after the other before the hunk itself is looked for: `@@ class A`. */
  anchors: string[];
  lines: HunkLine[];
  /** It stands at the end of the file. */
  isAtEnd: boolean;
  /** Where the patch says that it begins, 1-based; preferred when the text is there. */
  line?: number;
}

export type FileChange =
  | { type: "add"; path: string; text: string }
  | { type: "delete"; path: string }
  | {
      type: "update";
      path: string;
      /** The file's new name. */
      moveTo?: string;
      hunks: Hunk[];
      /** Says how the file ends afterwards. Absent: as before. */
      hasFinalNewline?: boolean;
    };
