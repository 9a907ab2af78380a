/** Character references of HTML as they occur in Markdown: the few named ones that people write, and numbers. */
const named: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  copy: "©",
};

/** Unknown references stay as they are. The result may hold any character: make it harmless before showing it. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : "\ufffd";
  });
}
