/** How replies go to a page: Markdown as it is, for the page renders it; without what a screen would obey. */
import { neutralise } from "../kit/neutralise.ts";
import { splitText } from "../kit/split.ts";
import { webchatCapabilities } from "./capabilities.ts";

/** Shown for a text in which nothing is left. */
const emptyNote = "(empty)";

export function toParts(markdown: string): string[] {
  if (markdown === "") return [];
  const { maxMessageLength: maxLength, lengthUnit: unit } = webchatCapabilities;
  return splitText(neutralise(markdown) || emptyNote, { maxLength, unit });
}
