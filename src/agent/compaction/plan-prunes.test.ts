import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildAssistant,
  buildCall,
  buildPicture,
  buildRandomHistory,
  buildResult,
  buildText,
  buildUser,
  createRandom,
  toItems,
} from "../../../test/fakes/random-history.ts";
import type { ModelMessage, ToolResultMessage } from "../../contracts/model.ts";
import type { ContextItem } from "../context/context-item.ts";
import { type Prune, type PruneOptions, planPrunes } from "./plan-prunes.ts";
import { estimateTokens, safetyMargin, sumTokens } from "./token-estimate.ts";

const contextWindow = 100_000;
const atSoft: PruneOptions = { contextWindow, tokens: 30_001 };
const atHard: PruneOptions = { contextWindow, tokens: 99_000 };
const answer = buildAssistant(buildText("done"));
const long = `${"h".repeat(1500)}${"m".repeat(20_000)}${"t".repeat(1500)}`;

/** A call of `read notes.md` with its result, then three answers. */
const oldResult = (content: string | ToolResultMessage["content"]): ContextItem[] =>
  toItems([
    buildUser("go"),
    buildAssistant(buildCall("a", "read", { path: "notes.md" })),
    buildResult("a", content),
    answer,
    answer,
    answer,
  ]);

/** What the context looks like once the prunes are in the transcript. */
function applyTo(items: readonly ContextItem[], prunes: readonly Prune[]): ContextItem[] {
  return items.map((item) => {
    const prune = prunes.find(({ targetId }) => targetId === item.id);
    if (!prune || item.message.role !== "toolResult") return item;
    return { ...item, isEdited: true, message: { ...item.message, content: [buildText(prune.content)] } };
  });
}

const contents = (items: readonly ContextItem[], options: PruneOptions) =>
  planPrunes(items, options).map(({ content }) => content);

describe("soft", () => {
  test("over 30 % of the window: head and tail stay, the gap says what is gone and how to have it again", () => {
    const items = oldResult(long);
    assert.deepEqual(planPrunes(items, { contextWindow, tokens: 30_000 }), []);
    assert.deepEqual(planPrunes(items, atSoft), [
      {
        targetId: "e2",
        content: `${"h".repeat(1500)}\n[… 20,000 characters of the result of read notes.md left out; run it again if you need it …]\n${"t".repeat(1500)}`,
      },
    ]);
  });

  test("4,000 characters stay, 4,001 do not", () => {
    assert.equal(planPrunes(oldResult("x".repeat(4000)), atSoft).length, 0);
    assert.equal(planPrunes(oldResult("x".repeat(4001)), atSoft).length, 1);
  });

  test("a result among the last three answers stays", () => {
    const items = oldResult(long);
    assert.deepEqual(planPrunes(items.slice(0, -1), atSoft), []);
    assert.deepEqual(planPrunes(items.slice(0, -2), atHard), []);
  });

  test("answers that failed do not make a result old", () => {
    const failed: ModelMessage = { ...answer, stopReason: "error" };
    const items = oldResult(long).slice(0, 3);
    assert.deepEqual(planPrunes([...items, ...toItems([failed, failed, failed])], atSoft), []);
  });

  test("pictures in old results are replaced by a marker, the text beside them stays", () => {
    assert.deepEqual(contents(oldResult([buildText("a fox"), buildPicture()]), atSoft), [
      "a fox\n[Picture in the result of read notes.md cleared; run it again if you need it]",
    ]);
    assert.deepEqual(contents(oldResult([buildPicture(), buildPicture()]), atSoft), [
      "[2 pictures in the result of read notes.md cleared; run it again if you need it]",
    ]);
  });

  test("a scope says how to have it again; a pinned one is never touched", () => {
    const scope = { kind: "tool_result", name: "notes.md", reload: "Call read(path=[x])\nto have it again." } as const;
    const items = oldResult(long).map((item) => ({ ...item, scope }));
    assert.match(
      contents(items, atSoft)[0] ?? "",
      /read notes\.md left out\. Call read\(path=x\) to have it again\. …\]/,
    );
    const pinned = items.map((item) => ({ ...item, scope: { ...scope, pinned: true as const } }));
    assert.deepEqual(planPrunes(pinned, atHard), []);
  });
});

describe("hard", () => {
  test("over 50 % and soft was not enough: one line is left", () => {
    assert.deepEqual(contents(oldResult(long), atHard), [
      "[Old tool result of read notes.md cleared; run it again if you need it]",
    ]);
  });

  test("soft was enough: it stays soft", () => {
    const saved = (23_000 - 3100) / 4;
    const tokens = 50_000 + saved * safetyMargin - 100;
    assert.match(contents(oldResult(long), { contextWindow, tokens })[0] ?? "", /^hhh/);
  });

  test("results of a few words stay as they are", () => {
    assert.deepEqual(planPrunes(oldResult("x".repeat(1000)), atHard), []);
    assert.equal(planPrunes(oldResult("x".repeat(1001)), atHard).length, 1);
  });

  test("the oldest go first, and no more than needed", () => {
    const groups = Array.from({ length: 10 }, (_, n) => [
      buildAssistant(buildCall(`c${n}`)),
      buildResult(`c${n}`, "x".repeat(3900)),
    ]);
    const items = toItems([buildUser("go"), ...groups.flat(), answer, answer, answer]);
    assert.deepEqual(planPrunes(items, { contextWindow: 10_000, tokens: 5000 }), []);
    // Each frees about 957 × 1.2 tokens; two are enough to come under the target of 40 %.
    const needed = planPrunes(items, { contextWindow: 10_000, tokens: 5500 });
    assert.deepEqual(
      needed.map(({ targetId }) => targetId),
      ["e2", "e4"],
    );
  });
});

describe("the running turn's last results", () => {
  const running = (...results: string[]): ContextItem[] =>
    toItems([
      buildUser("go"),
      buildAssistant(...results.map((_, n) => buildCall(`r${n}`, "bash", { command: "cat big" }))),
      ...results.map((text, n) => buildResult(`r${n}`, text, "bash")),
    ]);

  test("are left alone, however full it is", () => {
    assert.deepEqual(planPrunes(running("x".repeat(160_000)), atHard), []);
  });

  test("unless they alone take over half the window: then they are cut to a size that fits, once", () => {
    const items = running("x".repeat(300_000), "small", "x".repeat(300_000));
    const prunes = planPrunes(items, { contextWindow, tokens: 190_000 });
    assert.deepEqual(
      prunes.map(({ targetId }) => targetId),
      ["e2", "e4"],
    );
    for (const { content } of prunes) assert.match(content, /\[Too large to be shown whole\. .* smaller pieces\.\]$/);
    const after = applyTo(items, prunes);
    assert.ok(
      sumTokens(
        after.map(({ message }) => message),
        estimateTokens,
      ) *
        safetyMargin <
        contextWindow * 0.5,
    );
    assert.deepEqual(planPrunes(after, atHard), []);
  });
});

test("over random histories: it only shrinks, only tool results, each once, and a second time changes nothing", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = createRandom(seed);
    const messages: ModelMessage[] = buildRandomHistory(random, random.between(1, 15));
    const items = toItems(messages);
    const size = (some: readonly ContextItem[]) =>
      sumTokens(
        some.map(({ message }) => message),
        estimateTokens,
      ) * safetyMargin;
    const window = Math.ceil(size(items) * (0.5 + 2 * random.next()));
    const plan = (some: readonly ContextItem[]) => planPrunes(some, { contextWindow: window, tokens: size(some) });
    let now: ContextItem[] = items;
    const levels = new Map<string, number>();
    for (let round = 0; round < 4; round++) {
      const prunes = plan(now);
      if (round > 1) assert.deepEqual(prunes, [], `seed ${seed}: round ${round}`);
      assert.equal(new Set(prunes.map(({ targetId }) => targetId)).size, prunes.length, `seed ${seed}`);
      for (const { targetId, content } of prunes) {
        levels.set(targetId, (levels.get(targetId) ?? 0) + 1);
        assert.equal(items.find(({ id }) => id === targetId)?.message.role, "toolResult", `seed ${seed}`);
        assert.notEqual(content.trim(), "", `seed ${seed}`);
        if (levels.get(targetId) === 2)
          assert.match(content, /^\[Old tool result of /, `seed ${seed}: only soft to hard`);
      }
      const next = applyTo(now, prunes);
      assert.ok(prunes.length === 0 || size(next) < size(now), `seed ${seed}`);
      now = next;
    }
  }
});
