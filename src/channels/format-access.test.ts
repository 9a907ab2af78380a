import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccessRules, GroupRules } from "../contracts/channel.ts";
import { formatAccess } from "./format-access.ts";

const groups = (more: Partial<GroupRules>): GroupRules => ({
  allow: "everyone",
  senders: "everyone",
  requireMention: true,
  chats: {},
  ...more,
});

test("who may talk, on a line", () => {
  const cases: [AccessRules, string][] = [
    [{ admins: ["a"], dm: "none" }, "1 admin; direct: nobody else; groups: all"],
    [{ admins: [], dm: "everyone", pairing: true, bots: [] }, "no admin; direct: everyone; groups: all"],
    [{ admins: ["a", "b"], dm: "none", pairing: true }, "2 admins; direct: nobody else or by code; groups: all"],
    [{ admins: ["a"], dm: ["b"], groups: groups({}), bots: ["r"] }, "1 admin; direct: 1 person; groups: all; 1 bot"],
    [{ admins: ["a"], dm: ["b", "c"], groups: groups({ allow: [] }) }, "1 admin; direct: 2 people; groups: none"],
    [
      {
        admins: ["a"],
        dm: [],
        groups: groups({ allow: ["x", "y"], senders: ["b", "c"], requireMention: false, chats: { x: {} } }),
        bots: ["r", "s"],
      },
      "1 admin; direct: nobody else; groups: 2, answers 2 people, without a mention, 1 with own rules; 2 bots",
    ],
  ];
  for (const [rules, expected] of cases) assert.equal(formatAccess(rules), expected);
});
