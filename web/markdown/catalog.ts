/** What Markdown loads only when it is needed. */
export const loadHighlighter = () => import("./highlighter.ts");
