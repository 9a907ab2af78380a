/**
 * Takes out of HTML what nobody reads before it is parsed: scripts, styles, drawings, comments. Half of many pages; every
 * node of them would cost memory and time. One pass, linear in the page, also for pages that never close what they open.
 */
const jsonLd = /^[^>]{0,300}application\/ld\+json/i;

export function leanHtml(html: string): string {
  const kept: string[] = [];
  /** What is not closed from here on is left to the parser; it is not looked for again. */
  const unclosed = new Set<string>();
  const opening = /<(?:!--|(script|style|svg|noscript|template)\b)/gi;
  let from = 0;
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const name = match[1]?.toLowerCase() ?? "--";
    if (unclosed.has(name)) continue;
    // Data about the article: its author, its date.
    if (name === "script" && jsonLd.test(html.slice(match.index, match.index + 400))) continue;
    const end = findEnd(html, name, match.index);
    if (end === undefined) {
      unclosed.add(name);
      continue;
    }
    kept.push(html.slice(from, match.index));
    from = end;
    opening.lastIndex = end;
  }
  kept.push(html.slice(from));
  return kept.join("");
}

function findEnd(html: string, name: string, start: number): number | undefined {
  const closing = name === "--" ? /-->/g : new RegExp(`</${name}\\s*>`, "gi");
  closing.lastIndex = start;
  return closing.exec(html) === null ? undefined : closing.lastIndex;
}
