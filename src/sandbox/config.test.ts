import assert from "node:assert/strict";
import { it } from "node:test";
import { sandboxConfig } from "./config.ts";

it("is the host without further folders by default", () => {
  assert.deepEqual(sandboxConfig.parse({}), { mode: "host", roots: [] });
});

it("refuses relative folders, modes that do not exist and unknown keys", () => {
  for (const wrong of [{ roots: ["notes"] }, { mode: "bwrap" }, { rots: [] }]) {
    assert.equal(sandboxConfig.safeParse(wrong).success, false);
  }
});
