/** A page is there exactly where all its methods are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MethodName } from "../../src/gateway/protocol/index.ts";
import { pickPages } from "./pick-pages.ts";

const pages = [
  { path: "chat", needs: ["chat.history"] },
  { path: "cron", needs: ["cron.list", "cron.runs", "cron.preview"] },
  { path: "memory", needs: ["memory.search", "memory.get", "memory.status"] },
] as const;
const all: MethodName[] = pages.flatMap(({ needs }) => [...needs]);
const pathsWith = (features: readonly MethodName[]) => pickPages(pages, new Set(features)).map(({ path }) => path);

test("with every method every page is there, in order; with none, none", () => {
  assert.deepEqual(pathsWith(all), ["chat", "cron", "memory"]);
  assert.deepEqual(pathsWith([]), []);
});

test("without one of its methods a page is not there, and the others are", () => {
  for (const { path, needs } of pages) {
    for (const missing of needs) {
      const others = pages.map((page) => page.path).filter((each) => each !== path);
      assert.deepEqual(pathsWith(all.filter((name) => name !== missing)), others, missing);
    }
  }
});
