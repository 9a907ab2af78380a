/** What a reader takes for one character: cuts and cursors go between these, never through them. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Text looked at around a position. A longer cluster is no writing but an attack, and may be cut. */
const windowLength = 512;

export function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** The last boundary at or before `index`; never inside a surrogate pair. */
export function boundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = pairStart(text, Math.max(0, index - windowLength));
  const around = segmenter.segment(text.slice(from, index + windowLength)).containing(index - from);
  const start = from + (around?.index ?? 0);
  return start === from && from > 0 ? pairStart(text, index) : start;
}

/** The end of the cluster that begins at `index`. */
export function nextBoundary(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const first = segmenter.segment(text.slice(index, index + windowLength)).containing(0);
  return index + (first?.segment.length ?? 1);
}

export function previousBoundary(text: string, index: number): number {
  return boundaryAtOrBefore(text, Math.max(0, index - 1));
}

/** `index`, or one less where it would fall between the halves of a pair. */
export function pairStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
