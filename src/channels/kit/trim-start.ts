/** Spaces and line breaks before a text mean nothing. Shared by the parser and the cutter. */
import type { Inline } from "./document.ts";

export function trimStart(nodes: Inline[]): Inline[] {
  const first = nodes.findIndex((node) => node.type !== "break" && !(node.type === "text" && node.words.trim() === ""));
  const node = nodes[first];
  if (node?.type !== "text") return first < 0 ? [] : nodes.slice(first);
  return [{ ...node, words: node.words.trimStart() }, ...nodes.slice(first + 1)];
}
