import assert from "node:assert/strict";
import { test } from "node:test";
import type { SkillSummary } from "../../../src/gateway/protocol/index.ts";
import { arrangeSkills, type SkillsShown } from "./arrange-skills.ts";

const skill = (name: string, given: Partial<SkillSummary> = {}): SkillSummary => ({
  name,
  description: "",
  source: "workspace",
  path: `/skills/${name}`,
  warnings: [],
  bytes: 1,
  ...given,
});
const skills = [
  skill("pdf", { unusable: "needs pdftotext" }),
  skill("weather", { source: "bundled" }),
  skill("evil", { warnings: ["asks to hide things"], unusable: "scan" }),
  skill("audio"),
];
const names = (search: string, shown: SkillsShown) => arrangeSkills(skills, search, shown).map(({ name }) => name);

test("suspicious ones first, then usable ones, then the rest", () => {
  assert.deepEqual(names("", "all"), ["evil", "audio", "weather", "pdf"]);
});

test("what is shown can be narrowed, and searched", () => {
  assert.deepEqual(names("", "usable"), ["audio", "weather"]);
  assert.deepEqual(names("", "unusable"), ["evil", "pdf"]);
  assert.deepEqual(names("", "warnings"), ["evil"]);
  assert.deepEqual(names("BUNDLED wea", "all"), ["weather"]);
});
