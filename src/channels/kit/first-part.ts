/** A growing text as one post: whole as long as it fits, then its beginning with a sign that there is more. */

/** Keeps what it has found, because it is asked again and again while the text grows. One per turn. */
export function createFirstPart(render: (markdown: string) => string[]): (markdown: string) => string | undefined {
  let last: { markdown: string; text: string | undefined } | undefined;
  let cut: { markdown: string; text: string } | undefined;

  function toText(markdown: string): string | undefined {
    // What has not fitted does not fit when it has grown.
    if (cut && markdown.startsWith(cut.markdown)) return cut.text;
    const [first, ...more] = render(markdown);
    if (first === undefined || more.length === 0) return first;
    cut = shorten(markdown, first.length, render) ?? { markdown, text: first };
    return cut.text;
  }
  return (markdown) => {
    if (last?.markdown !== markdown) last = { markdown, text: toText(markdown) };
    return last.text;
  };
}

/** Only rendering tells what fits: shorter and shorter until it does. */
function shorten(markdown: string, startLength: number, render: (markdown: string) => string[]) {
  for (let length = startLength; length > 1; length = Math.floor(length * 0.9)) {
    const piece = cutAtSpace(markdown, length);
    const [text, ...more] = render(`${piece} …`);
    if (text !== undefined && more.length === 0) return { markdown: piece, text };
  }
  return undefined;
}

/** At the last space, where there is one near the end; never through a character. */
function cutAtSpace(markdown: string, length: number): string {
  const piece = markdown.slice(0, length).replace(/[\u200d\ud800-\udbff]+$/, "");
  const space = piece.search(/\s\S*$/);
  return space > length / 2 ? piece.slice(0, space) : piece;
}
