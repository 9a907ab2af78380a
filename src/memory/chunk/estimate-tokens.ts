/** About how many tokens a text has: four plain letters make one, a Chinese or Japanese character is one of its own. */
export function estimateTokens(text: string): number {
  let plain = 0;
  let foreign = 0;
  let dense = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) plain++;
    else if (isDense(code)) dense++;
    else foreign++;
  }
  return Math.ceil(plain / 4 + foreign / 2 + dense);
}

/** Han, kana, hangul and their punctuation; of the rarer ones beyond 16 bits each half counts as half a foreign letter. */
const isDense = (code: number) =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff);
