/** Edits become the fewest changes that say them, and taking them back leaves nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyChanges,
  type ChangeSet,
  change,
  describeChange,
  hasChanges,
  isInNew,
  rebase,
  rename,
  takeBack,
  toPatch,
  withMovedItem,
  withoutHidden,
  withoutItem,
} from "./change-set.ts";
import { findHalfHidden } from "./half-hidden.ts";

const base = {
  logging: { level: "info" },
  adapters: { team: { type: "slack", botToken: "***", dm: "none" } },
  routes: [{ agent: "a" }, { agent: "b" }],
};

test("an edit is one change, and typing the old value again is none", () => {
  const edited = change([], base, ["logging", "level"], "debug");
  assert.deepEqual(toPatch(edited), [{ path: "logging.level", value: "debug" }]);
  assert.deepEqual(change(edited, base, ["logging", "level"], "info"), []);
});

test("a key that is not there needs no removal, one that is does", () => {
  assert.deepEqual(change([], base, ["queue", "mode"], undefined), []);
  assert.deepEqual(toPatch(change([], base, ["adapters", "team", "dm"], undefined)), [{ path: "adapters.team.dm" }]);
});

test("what is set around earlier edits takes their place, what is set inside goes into it", () => {
  let changes: ChangeSet = change([], base, ["routes", "0", "agent"], "x");
  changes = change(changes, base, ["routes"], [{ agent: "x" }]);
  changes = change(changes, base, ["routes", "0", "channel"], "C1");
  assert.deepEqual(toPatch(changes), [{ path: "routes", value: [{ agent: "x", channel: "C1" }] }]);
  assert.deepEqual(change(changes, base, ["routes"], base.routes), []);
});

test("something set inside what was removed brings only that back", () => {
  const gone = change([], base, ["adapters", "team"], undefined);
  const back = change(gone, base, ["adapters", "team", "type"], "discord");
  assert.deepEqual(toPatch(back), [{ path: "adapters.team", value: { type: "discord" } }]);
});

test("the draft is the base with all changes", () => {
  const changes = change(change([], base, ["a", "b"], 1), base, ["routes"], []);
  assert.deepEqual(applyChanges(base, changes), { ...base, a: { b: 1 }, routes: [] });
});

test("a part of the form says what became of it", () => {
  let changes = change(change([], base, ["a", "b"], 1), base, ["routes"], []);
  changes = change(change(changes, base, ["adapters", "chat"], { type: "cli" }), base, ["logging"], undefined);
  const says = (...path: string[]) => describeChange(changes, base, path);
  assert.deepEqual(
    [says("a"), says("routes"), says("adapters"), says("adapters", "chat"), says("logging"), says("queue")],
    ["1 changed", "changed", "1 changed", "new", "removed", undefined],
  );
  assert.equal(isInNew(changes, base, ["adapters", "chat", "type"]), true);
  assert.equal(isInNew(changes, base, ["adapters", "chat"]), false);
  assert.equal(isInNew(changes, base, ["a", "b"]), false);
});

test("taking back a part of a larger change leaves the rest of it", () => {
  const changes = change([], base, ["adapters", "new"], { type: "cli", toolOutput: "full" });
  assert.deepEqual(toPatch(takeBack(changes, base, ["adapters", "new", "toolOutput"])), [
    { path: "adapters.new", value: { type: "cli" } },
  ]);
  assert.deepEqual(takeBack(changes, base, ["adapters"]), []);
});

test("a renamed entry goes before it comes back, without secrets that nobody here knows", () => {
  const changes = rename([], base, ["adapters"], "team", "work.place");
  assert.deepEqual(toPatch(changes), [
    { path: "adapters.team" },
    { path: 'adapters."work.place"', value: { type: "slack", dm: "none" } },
  ]);
  // Under its old name again the secret does not come back by itself: another entry may have taken that name.
  const back = rename(changes, base, ["adapters"], "work.place", "team");
  assert.deepEqual(toPatch(back), [{ path: "adapters.team", value: { type: "slack", dm: "none" } }]);
});

test("items of a list that move leave hidden secrets behind, those that stay keep them", () => {
  const list = [
    { key: "***", id: 1 },
    { key: "***", id: 2 },
    { key: "***", id: 3 },
  ];
  assert.deepEqual(withoutItem(list, 1), [{ key: "***", id: 1 }, { id: 3 }]);
  assert.deepEqual(withMovedItem(list, 2, 1), [{ key: "***", id: 1 }, { id: 3 }, { id: 2 }]);
  assert.deepEqual(withMovedItem(list, 0, 5), list);
  assert.deepEqual(withoutHidden(["https://u:***@h", "plain"]), ["", "plain"]);
});

test("a text that is hidden in part is not sent back with its stars", () => {
  const list = ["https://u:***@host", "b"];
  assert.deepEqual(findHalfHidden(change([], { proxies: ["x"] }, ["proxies"], list)), [
    { path: ["proxies", "0"], message: "A part of this is hidden. Type the whole of it again." },
  ]);
  assert.deepEqual(findHalfHidden([{ path: ["a"], value: { key: "***" } }]), []);
});

test("edits stay when the config changes under them, but for what was done by somebody else too", () => {
  const changes = change(change([], base, ["logging", "level"], "debug"), base, ["queue", "mode"], "steer");
  assert.deepEqual(toPatch(rebase(changes, { ...base, logging: { level: "debug" } })), [
    { path: "queue.mode", value: "steer" },
  ]);
  assert.equal(rebase(changes, base), changes);
});

test("whether the file has the changes, though it hides its secrets", () => {
  const changes: ChangeSet = [
    { path: ["logging", "level"], value: "debug" },
    { path: ["adapters", "team"], value: { type: "slack", botToken: "xoxb-1" } },
    { path: ["routes"], value: undefined },
  ];
  const team = { type: "slack", botToken: "***" };
  assert.equal(hasChanges({ logging: { level: "debug" }, adapters: { team } }, changes), true);
  assert.equal(hasChanges({ logging: { level: "info" }, adapters: { team } }, changes), false);
  assert.equal(hasChanges({ logging: { level: "debug" }, adapters: { team }, routes: [] }, changes), false);
  assert.equal(
    hasChanges({ logging: { level: "debug" }, adapters: { team: { ...team, dm: "none" } } }, changes),
    false,
  );
  assert.equal(hasChanges(base, []), true);
});
