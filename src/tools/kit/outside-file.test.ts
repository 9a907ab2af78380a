/** Whose words a file holds, by where it lies: real folders and links, as a turn in one chat sees them. */
import assert from "node:assert/strict";
import { rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import type { SessionEntry, SessionType } from "../../contracts/session.ts";
import { createOutsideCheck, pickOwnChat } from "./outside-file.ts";

const scopeOf = (type: SessionType) => ({ session: { type } as SessionEntry });
const scratchFolder = "channels/slack/D1/scratch";

/** Path; from outside in the owner's chat D1; in a chat D1 with others. */
const places: [path: string, forOwner: boolean, forOthers: boolean][] = [
  ["notes.md", false, false],
  ["channels/README.md", false, false],
  ["channels/slack/D1/log.jsonl", false, true],
  ["channels/slack/D1/context.jsonl", false, true],
  ["channels/slack/D1/scratch/output-1.log", false, true],
  ["channels/slack/D1/skills/tea/SKILL.md", false, false],
  ["channels/slack/D1/attachments/1-mail.txt", true, true],
  ["channels/slack/D1x/log.jsonl", true, true],
  ["channels/slack/C9/log.jsonl", true, true],
  ["channels/slack/C9/context-1.jsonl", true, true],
  ["channels/slack/C9/sessions/x/context.jsonl", true, true],
  ["channels/slack/C9/skills/tea/SKILL.md", true, true],
  ["channels/slack/C9/attachments/z/channels/slack/D1/notes.md", true, true],
  ["copy/channels/slack/D1/notes.md", true, true],
];

test("what lies in the folders of chats is from outside, but for the owner's own words", async (t) => {
  const { operations, dir, put } = await createToolWorkspace(t);
  await put("channels/slack/D1/log.jsonl", "");
  for (const [type, column] of [
    ["main", 1],
    ["group", 2],
    ["dm", 2],
  ] as const) {
    const ownChat = pickOwnChat({ operations, scratchFolder, scope: scopeOf(type) });
    const isFromOutside = await createOutsideCheck(operations, ownChat);
    for (const place of places) assert.equal(isFromOutside(join(dir, place[0])), place[column], `${type} ${place[0]}`);
  }
  const isFromOutside = await createOutsideCheck(operations, undefined);
  assert.equal(isFromOutside(join(dir, "channels/slack/D1/log.jsonl")), true, "no chat of its own");
  assert.equal(isFromOutside(join(dir, "notes.md")), false);
});

test("a folder that has become a link to another chat's is not the owner's own", async (t) => {
  const { operations, dir, put } = await createToolWorkspace(t);
  await put("channels/slack/D1/log.jsonl", "");
  await put("channels/slack/C9/log.jsonl", "");
  await rename(join(dir, "channels/slack/D1"), join(dir, "aside"));
  await symlink("C9", join(dir, "channels/slack/D1"));
  const ownChat = pickOwnChat({ operations, scratchFolder, scope: scopeOf("main") });
  const isFromOutside = await createOutsideCheck(operations, ownChat);
  assert.equal(isFromOutside(await operations.resolve("channels/slack/D1/log.jsonl")), true);
});
