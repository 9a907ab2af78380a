/** What every embedder asks of texts: something is in them, and not more than models read. */
import { EmbedError } from "./embed-error.ts";

/** Models read about 8,000 tokens; a Chinese character is about one. */
const maxTextChars = 8000;

/** Cut where they are too long. Throws `EMBED_TEXT_EMPTY`. */
export function checkTexts(texts: readonly string[]): string[] {
  return texts.map((text) => {
    if (text.trim() === "") throw new EmbedError("EMBED_TEXT_EMPTY", "There is nothing to embed in an empty text");
    // Half a character at the end would not survive the wire.
    return text.slice(0, maxTextChars).toWellFormed();
  });
}
