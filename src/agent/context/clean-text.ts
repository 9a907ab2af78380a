/** Text as every provider takes it: no half characters, no control characters that mean nothing to a model. */
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const everyControl = new RegExp(control, "g");

/** The same string when there is nothing to clean. */
export function cleanText(text: string): string {
  const plain = control.test(text) ? text.replace(everyControl, "") : text;
  return plain.isWellFormed() ? plain : plain.toWellFormed();
}

/** Clean, on one line and at most `maxChars` long: fit to stand inside a marker. */
export function toOneLine(text: string, maxChars: number): string {
  // Cut before anything is searched: what stands here may be megabytes that another program wrote.
  const line = cleanText(text.slice(0, maxChars * 4))
    .replace(/[\s\u2028\u2029]+/g, " ")
    .trim();
  return line.length > maxChars ? `${cleanText(line.slice(0, maxChars - 1))}…` : line;
}

/** A text that would fill the model's window alone keeps its beginning and its end. `maxBytes`: UTF-8, some four to a token. */
export function clipText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const keptChars = Math.floor((text.length * maxBytes) / bytes);
  const head = text.slice(0, Math.floor(keptChars * 0.7)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(keptChars * 0.2)).toWellFormed();
  const gone = text.length - head.length - tail.length;
  return `${head}\n(… ${gone} characters left out: too long for this model …)\n${tail}`;
}
