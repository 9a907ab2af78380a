/** The text of a file that may be changed and written back: undefined where that would not give the same bytes again. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    // The byte order mark stays in the text, as its first character.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export const byteOrderMark = "\uFEFF";
