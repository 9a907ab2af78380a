/** Elements of a page as plain text: a line per block, no marks, no addresses. Runs in the page thread. */
import { isElement, isText, type PageNode } from "./page-dom.ts";

const blocks: ReadonlySet<string> = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 " +
    "HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TFOOT THEAD TR UL"
  ).split(" "),
);

export function toPlainText(root: PageNode): string {
  const parts: string[] = [];
  collect(root, parts, false);
  const lines = parts.join("").split("\n");
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function collect(node: PageNode, parts: string[], isPreformatted: boolean): void {
  if (isText(node)) {
    const text = node.textContent ?? "";
    parts.push(isPreformatted ? text : toFlowing(text, parts.at(-1)));
    return;
  }
  if (!isElement(node)) return;
  const name = node.nodeName.toUpperCase();
  if (name === "BR") parts.push("\n");
  if (name === "TD" || name === "TH") parts.push("\t");
  // A list item follows the one before it, other blocks stand apart.
  const gap = name === "LI" || name === "TR" ? "\n" : blocks.has(name) ? "\n\n" : "";
  if (gap !== "") parts.push(gap);
  for (const child of Array.from(node.childNodes)) collect(child, parts, isPreformatted || name === "PRE");
  if (gap !== "") parts.push(gap);
}

/** Blanks as a browser shows them: one between words, none at the beginning of a line. */
function toFlowing(text: string, before: string | undefined): string {
  const flowing = text.replace(/\s+/g, " ");
  return before === undefined || before.endsWith("\n") ? flowing.trimStart() : flowing;
}
