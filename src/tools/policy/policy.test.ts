import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionType } from "../../contracts/session.ts";
import { toolsConfig } from "../config.ts";
import { decideTools } from "./decide-tools.ts";
import { findUnknownNames, isMeant, normaliseToolName } from "./tool-names.ts";

const tools = ["read", "write", "edit", "ls", "find", "grep"]
  .map((name) => ({ name, group: "fs" }))
  .concat([
    { name: "bash", group: "runtime" },
    { name: "attach", group: "messaging" },
    { name: "cron", group: "automation" },
  ]);
const decide = (config: object, sessionType: SessionType = "main") =>
  decideTools(tools, { config: toolsConfig.parse(config), sessionType });
const allowed = (config: object, sessionType?: SessionType) =>
  decide(config, sessionType)
    .filter((decision) => decision.allowed)
    .map((decision) => decision.name)
    .join(" ");
const all = "read write edit ls find grep bash attach cron";

describe("tool policy", () => {
  it("allows everything to the owner by default", () => {
    assert.equal(allowed({}), all);
    assert.equal(allowed({}, "cron"), all);
  });

  it("applies profiles", () => {
    assert.equal(allowed({ profile: "minimal" }), "");
    assert.equal(allowed({ profile: "coding" }), "read write edit ls find grep bash");
    assert.equal(allowed({ profile: "messaging" }), "attach");
  });

  it("applies allow and deny with aliases, groups and wildcards; deny wins", () => {
    assert.equal(allowed({ allow: ["EXEC", "read"] }), "read bash");
    assert.equal(allowed({ deny: ["exec", "group:automation"] }), "read write edit ls find grep attach");
    assert.equal(allowed({ allow: ["group:fs"], deny: ["*e*"] }), "ls find");
    assert.equal(allowed({ allow: ["group:mom"], deny: ["group:fs"] }), "bash attach cron");
    assert.equal(allowed({ deny: ["*"] }), "");
    assert.equal(allowed({ profile: "messaging", allow: ["bash"] }), "", "a layer can only remove");
  });

  it("restricts conversations with people who are not the owner", () => {
    assert.equal(allowed({}, "dm"), "read ls find grep attach");
    assert.equal(allowed({}, "group"), "read ls find grep");
    assert.equal(allowed({}, "topic"), "read ls find grep");
    assert.equal(allowed({ allow: ["bash"] }, "group"), "", "configuration cannot widen a session");
    assert.equal(allowed({}, "subagent"), "read write edit ls find grep bash attach");
  });

  it("explains every removal by layer and rule", () => {
    const reasons = new Map(decide({ profile: "coding", deny: ["b*"] }, "group").map((d) => [d.name, d.removedBy]));
    assert.equal(reasons.get("read"), undefined);
    assert.deepEqual(reasons.get("attach"), { layer: "profile", rule: 'not in profile "coding"' });
    assert.deepEqual(reasons.get("bash"), { layer: "global", rule: 'denied by "b*" in tools.deny' });
    assert.equal(reasons.get("write")?.layer, "session type");
    const subagent = decide({}, "subagent").find((decision) => decision.name === "cron");
    assert.equal(subagent?.removedBy?.layer, "subagent");
  });

  it("warns of names that mean nothing, with the nearest", () => {
    assert.deepEqual(findUnknownNames(["read", "exec", "group:fs", "*", "group:mom"], tools), []);
    assert.deepEqual(findUnknownNames(["gerp", "group:fz", "teleport"], tools), [
      '"gerp" means no tool; did you mean "grep"?',
      '"group:fz" means no tool; did you mean "group:fs"?',
      '"teleport" means no tool',
    ]);
  });

  it("matches wildcards literally otherwise", () => {
    assert.equal(normaliseToolName(" Exec "), "bash");
    const tool = { name: "sessions_list", group: "sessions" };
    for (const entry of ["sessions_*", "*_list", "s*_l*t", "*", "group:sessions"])
      assert.equal(isMeant(tool, entry), true, entry);
    for (const entry of ["sessions", "s.*", "*_lis", "list*", "sessions_list*_list", "group:s*"]) {
      assert.equal(isMeant(tool, entry), false, entry);
    }
  });
});
