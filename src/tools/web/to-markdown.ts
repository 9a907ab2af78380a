/** Elements of a page as Markdown: absolute links, tables, no escapes, which models do not need. Runs in the page thread. */

import type { PageElement } from "./page-dom.ts";
import type { PageReader } from "./pick-content.ts";

/** Takes the element out of its page. */
export type ToMarkdown = (element: PageElement) => string;

/** `baseUrl` is what relative links start from. */
export function createToMarkdown({ TurndownService }: PageReader, baseUrl: string): ToMarkdown {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.escape = (text: string) => text;
  service.addRule("link", {
    filter: "a",
    replacement: (content: string, node: PageElement) => formatLink(content, node.getAttribute("href"), baseUrl),
  });
  service.addRule("image", {
    filter: "img",
    replacement: (_content: string, node: PageElement) => formatImage(node, baseUrl),
  });
  addTableRules(service);
  return (element) => {
    // What is given counts as a container; only what is in it is written with its own marks. Moving is cheaper than copying.
    const container = element.ownerDocument.createElement("div");
    container.appendChild(element);
    return service.turndown(container);
  };
}

function formatLink(content: string, href: string | null, baseUrl: string): string {
  const text = content.replace(/\s*\n\s*/g, " ").trim();
  const url = toAbsolute(href, baseUrl);
  if (text === "") return "";
  // A jump within the page leads nowhere for who reads it as text.
  if (url === undefined || href?.startsWith("#") === true) return content;
  return `[${text}](${url})`;
}

/** Pictures that say nothing in words are left out: mostly ornaments and counters. */
function formatImage(node: PageElement, baseUrl: string): string {
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  const url = toAbsolute(node.getAttribute("src"), baseUrl);
  return alt === "" || url === undefined ? alt : `![${alt}](${url})`;
}

/** Undefined for what leads to no page: scripts, pictures written into the address. */
function toAbsolute(href: string | null, baseUrl: string): string | undefined {
  const url = href === null || href.trim() === "" ? null : URL.parse(href, baseUrl);
  if (url === null || !/^(?:https?|mailto|tel|ftp):$/.test(url.protocol)) return undefined;
  return url.href.replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
}

/** Tables in pipes. One that holds another is there for the layout; its cells are plain paragraphs. */
function addTableRules(service: InstanceType<PageReader["TurndownService"]>): void {
  const layouts = new WeakMap<PageElement, boolean>();
  const isLayout = (node: PageElement) => {
    const table = node.closest("table");
    if (table === null) return true;
    const known = layouts.get(table) ?? table.querySelector("table") !== null;
    layouts.set(table, known);
    return known;
  };
  service.addRule("cell", {
    filter: ["td", "th"],
    replacement: (content: string, node: PageElement) =>
      isLayout(node)
        ? `\n\n${content}\n\n`
        : ` ${content
            .trim()
            .replace(/\s*\n\s*/g, " ")
            .replace(/\|/g, "\\|")} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement(content: string, node: PageElement) {
      if (isLayout(node)) return content;
      const isFirst = node.closest("table")?.querySelector("tr") === node;
      const line = `|${content.replace(/\n/g, " ")}\n`;
      return isFirst ? `${line}|${" --- |".repeat(Math.max(1, node.children.length))}\n` : line;
    },
  });
  service.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content: string) => content });
  service.addRule("table", { filter: "table", replacement: (content: string) => `\n\n${content.trim()}\n\n` });
}
