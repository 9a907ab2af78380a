/** A conversation as one HTML page: nothing is fetched, nothing runs, every text is escaped. */
import type { Document, Part } from "./build-document.ts";

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: #666; }
dd { margin: 0; overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: .5rem 1rem; border-left: 3px solid #ccc; }
section.said { border-color: #36c; background: #f4f7fd; }
section.answer { border-color: #393; }
h2 { font-size: .9rem; margin: 0; color: #666; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .25rem 0; }
details pre { font: .85rem/1.4 ui-monospace, monospace; }
details, .note { margin: .5rem 0 .5rem 1rem; color: #666; font-size: .9rem; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } section.said { background: #1d2433; } }
`;

export function formatHtml({ title, facts, parts }: Document): string {
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body>`,
    `<h1>${escapeHtml(title)}</h1>`,
    `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`,
    ...parts.map(formatPart),
    "</body></html>",
    "",
  ].join("\n");
}

function formatPart({ kind, head, text }: Part): string {
  const title = escapeHtml(head);
  if (kind === "branch") return `<hr><h2>${title}</h2>`;
  const body = `<pre>${escapeHtml(text.trimEnd())}</pre>`;
  if (kind === "said" || kind === "answer") return `<section class="${kind}"><h2>${title}</h2>${body}</section>`;
  const name = kind === "note" ? title : `${kind}: ${title}`;
  return text.trim() === "" ? `<p class="note">${name}</p>` : `<details><summary>${name}</summary>${body}</details>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control and direction characters, which could hide or reorder what stands there, are shown as a box. */
const escapeHtml = (text: string) =>
  text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      "\ufffd",
    );
