import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { buildAccessFields, showFields, toAccessRules } from "./access-config.ts";

const open = z.strictObject({ ...buildAccessFields({ groupsDefault: "everyone" }), ...showFields });
const shut = z.strictObject(
  buildAccessFields({
    groupsDefault: [],
    userId: { pattern: /^\d+$/, what: "a number such as 123456789" },
    chatId: { pattern: /^-\d+$/, what: "a group's number such as -100123" },
  }),
);

const messagesOf = (schema: z.ZodType, value: unknown): string[] => {
  const { error } = schema.safeParse(value);
  assert.ok(error, JSON.stringify(value));
  const flatten = (issues: z.core.$ZodIssue[]): string[] =>
    issues.flatMap((issue) => (issue.code === "invalid_union" ? issue.errors.flatMap(flatten) : [issue.message]));
  return flatten(error.issues);
};

describe("who may talk", () => {
  test("by default: admins, whoever an admin approves, and groups as the platform is", () => {
    const rules = toAccessRules(open.parse({}));
    assert.deepEqual(rules, {
      admins: [],
      dm: "none",
      pairing: true,
      groups: { allow: "everyone", senders: "everyone", requireMention: true, chats: {} },
      bots: [],
    });
    assert.deepEqual(toAccessRules(shut.parse({})).groups?.allow, []);
    assert.equal(open.parse({}).enabled, true);
  });

  test("everything can be said", () => {
    const config = {
      admins: ["1"],
      dm: ["2", "3"],
      pairing: false,
      groups: {
        allow: ["-100"],
        senders: ["4"],
        requireMention: false,
        chats: { "-100": { senders: ["5"], requireMention: true }, "-200": {} },
      },
      bots: ["6"],
    };
    assert.deepEqual(toAccessRules(shut.parse({ enabled: false, ...config })), config);
  });

  test("a part of the group rules leaves the rest as it is", () => {
    const { groups } = toAccessRules(open.parse({ groups: { requireMention: false } }));
    assert.deepEqual(groups, { allow: "everyone", senders: "everyone", requireMention: false, chats: {} });
  });

  test("an id without quotes is told what happens to it", () => {
    const quotes = "write it in quotes: large numbers lose digits";
    for (const value of [
      { admins: [80351110224678912] },
      { dm: [1] },
      { bots: [1] },
      { groups: { allow: [-100] } },
      { groups: { senders: [1] } },
      { groups: { chats: { "-100": { senders: [1] } } } },
    ]) {
      assert.ok(messagesOf(shut, value).includes(quotes), JSON.stringify(value));
    }
  });

  test("names are refused where the platform knows what its ids look like", () => {
    assert.deepEqual(messagesOf(shut, { admins: ["@ann"] }), ["a number such as 123456789"]);
    assert.ok(messagesOf(shut, { groups: { allow: ["team"] } }).includes("a group's number such as -100123"));
    assert.equal(shut.safeParse({ groups: { chats: { team: {} } } }).success, false);
    assert.equal(open.safeParse({ admins: ["U 1"] }).success, false);
    assert.equal(open.safeParse({ admins: [""] }).success, false);
  });

  test("words that are none of the choices are refused", () => {
    for (const value of [{ dm: "all" }, { groups: { allow: "none" } }, { groups: { alow: [] } }, { admin: [] }]) {
      assert.equal(open.safeParse(value).success, false, JSON.stringify(value));
    }
  });
});

test("what is shown by default", () => {
  const { toolOutput, streaming, ackReaction, usageLine } = open.parse({});
  assert.deepEqual([toolOutput, streaming, ackReaction, usageLine], ["summary", true, "", false]);
});

test("every key says what it is for, and has a JSON Schema", () => {
  const { properties = {} } = z.toJSONSchema(open, { io: "input" });
  for (const [key, property] of Object.entries(properties)) {
    assert.equal(typeof (property as { description?: string }).description, "string", key);
  }
});
