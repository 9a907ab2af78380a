/** Pages of a megabyte as the web has them, for benches/web-fetch.ts: much to read, mostly scripts, nothing but links. */
import { buildProse } from "./prose.ts";

export type PageKind = "article" | "scripts" | "portal";

const pageBytes = 1_000_000;
/** Says at the top of what is to be read that this is it. */
export const pageMark = "Of kettles and gardens";

/** The same for the same number, another text for another. ASCII, so that characters are bytes. */
export function buildPage(kind: PageKind, number: number): string {
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${pageMark} ${number}</title>`;
  const { before, block, after } = shapes[kind];
  const start = `${head}${before(number)}`;
  const parts = [start];
  for (let n = 0, length = start.length + after.length; length < pageBytes; n++) {
    const part = block(number * 1000 + n, n);
    parts.push(part);
    length += part.length;
  }
  return [...parts, after].join("\n");
}

interface PageShape {
  before(seed: number): string;
  /** `n`: which one of the page. */
  block(seed: number, n: number): string;
  after: string;
}

const menu = `<nav class="menu"><ul>${Array.from({ length: 60 }, (_each, n) => `<li><a href="/section/${n}">${buildProse(n, 14)}</a></li>`).join("")}</ul></nav>`;
const footer = `<footer class="site-footer"><p>Imprint</p>${menu}</footer></body></html>`;
const heading = `<h1>${pageMark}</h1>`;

/** Several sentences with links, a note and words in bold, as an encyclopaedia has them. */
const paragraph = (seed: number) =>
  `<p>${buildProse(seed, 180)}, <a href="/wiki/${seed}" title="${buildProse(seed + 1, 20)}">${buildProse(seed + 2, 24)}</a>, ` +
  `${buildProse(seed + 3, 160)} <b>${buildProse(seed + 4, 18)}</b>.<sup><a href="#note-${seed}">[${seed % 90}]</a></sup> ` +
  `${buildProse(seed + 5, 140)} <a href="/wiki/${seed + 1}">${buildProse(seed + 6, 16)}</a>, ${buildProse(seed + 7, 120)}.</p>`;

const table = (seed: number) =>
  `<table><tr><th>Year</th><th>Rain</th><th>Wind</th></tr>${Array.from({ length: 8 }, (_each, n) => `<tr><td>${1900 + n}</td><td>${seed + n}</td><td>${buildProse(seed + n, 12)}</td></tr>`).join("")}</table>`;

const list = (seed: number) =>
  `<ul>${Array.from({ length: 6 }, (_each, n) => `<li>${buildProse(seed + n, 70)}</li>`).join("")}</ul>`;

const article: PageShape = {
  before: () => `<meta name="author" content="Jo Poe"></head><body>${menu}<main><article>${heading}`,
  block(seed, n) {
    if (n % 12 === 4) return `<h2>${buildProse(seed, 30)}</h2>`;
    if (n % 30 === 11) return table(seed);
    return n % 18 === 7 ? list(seed) : paragraph(seed);
  },
  after: `</article></main>${footer}`,
};

/** A fifth is markup to be read; the rest is data, styles and drawings between many boxes. */
const scripts: PageShape = {
  before: (seed) =>
    `${script(seed)}${style(seed)}</head><body><div id="app" class="c1"><div class="c2">${menu}<div class="c3"><div class="article-body" role="main">${heading}`,
  block(seed, n) {
    if (n % 2 === 0) return `<div class="row"><div class="cell">${paragraph(seed)}</div></div>`;
    return n % 6 === 5 ? `${style(seed)}${drawing(seed)}` : script(seed);
  },
  after: `</div></div></div></div>${footer}`,
};

function script(seed: number): string {
  const items = Array.from({ length: 40 }, (_each, n) => ({ id: seed + n, name: buildProse(seed + n, 60), tags: [n] }));
  return `<script>window.__data=(window.__data||[]).concat(${JSON.stringify(items)});if(1<2){track("${seed}")}</script>`;
}

const style = (seed: number) =>
  `<style>${Array.from({ length: 30 }, (_each, n) => `.c${seed + n}>a:hover{color:#${n}a${n}b;margin:${n}px}`).join("")}</style>`;

const drawing = (seed: number) =>
  `<svg viewBox="0 0 9 9">${Array.from({ length: 30 }, (_each, n) => `<path d="M${n} ${seed % 9}L${n + 1} 7z"/>`).join("")}</svg>`;

/** A front page: thousands of teasers, each two links, a picture and a line. */
const portal: PageShape = {
  before: () => `</head><body>${menu}<main>${heading}`,
  block(seed, n) {
    const title = n % 25 === 0 ? `<h2><a href="/section/${n}">${buildProse(seed, 20)}</a></h2>` : "";
    const image = `<a href="/story/${seed}"><img src="/img/${seed}.webp" alt="${buildProse(seed, 30)}" width="320" height="180"></a>`;
    return `${title}<div class="card" data-id="${seed}">${image}<h3><a href="/story/${seed}?from=front">${buildProse(seed + 1, 50)}</a></h3><p>${buildProse(seed + 2, 70)}</p><ul><li><a href="/tag/${seed % 50}">${buildProse(seed, 8)}</a></li></ul></div>`;
  },
  after: `</main>${footer}`,
};

const shapes: Record<PageKind, PageShape> = { article, scripts, portal };
