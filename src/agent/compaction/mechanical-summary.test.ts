import assert from "node:assert/strict";
import { test } from "node:test";
import {
  buildAssistant,
  buildCall,
  buildRandomHistory,
  buildResult,
  buildText,
  buildUser,
  createRandom,
} from "../../../test/fakes/random-history.ts";
import { buildMechanicalSummary } from "./mechanical-summary.ts";
import { summaryHeading } from "./summary-text.ts";

const messages = [
  buildUser("[bob]: by the way\n[alice]: please fix the port in config/app.json\nmore words"),
  buildAssistant(buildCall("1", "read", { path: "config/app.json" })),
  buildResult("1", "port 80"),
  buildAssistant(buildCall("2", "edit", { path: "config/app.json", oldText: "80", newText: "8080" })),
  buildResult("2", "ok"),
  buildAssistant(buildCall("3", "bash", { command: "npm test\n--silent" })),
  buildResult("3", "ok"),
  buildAssistant(buildText("The port is 8080 now.")),
  buildUser("thanks"),
];

test("says what was asked, which tools ran on what, which files were touched and what was answered last", () => {
  assert.equal(
    buildMechanicalSummary(messages),
    [
      "## What was asked\n- [alice]: please fix the port in config/app.json\n- thanks",
      "## Tools that ran\n- read ×1: config/app.json\n- edit ×1: config/app.json\n- bash ×1: npm test --silent",
      "## Files touched\n- config/app.json (read, edit)",
      "## Last answer\nThe port is 8080 now.",
    ].join("\n\n"),
  );
});

test("an earlier summary is carried on without its heading", () => {
  const summary = buildMechanicalSummary(messages, `${summaryHeading}\nThe server is db-7.`);
  assert.match(summary, /^## Before that\nThe server is db-7\.\n\n## What was asked/);
  assert.equal(buildMechanicalSummary([], `${summaryHeading}\nThe server is db-7.`), "The server is db-7.");
});

test("is bounded, keeps the first and the latest requests, and is the same every time", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = createRandom(seed);
    const history = [buildUser("first of all"), ...buildRandomHistory(random, 60, 500), buildUser("last of all")];
    const previous = "p".repeat(random.between(0, 5000));
    const summary = buildMechanicalSummary(history, previous, 3000);
    assert.ok(summary.length <= 3000, `seed ${seed}`);
    assert.match(summary, /- first of all\n- … \d+ more\n/);
    assert.match(summary, /- last of all\n/);
    assert.equal(buildMechanicalSummary(history, previous, 3000), summary);
  }
});
