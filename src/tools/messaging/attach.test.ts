import assert from "node:assert/strict";
import { symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { NewDelivery } from "../../contracts/store.ts";
import { createAttachTool } from "./attach.ts";

const scope = {
  turnId: "t1" as TurnId,
  channel: { adapter: "cli", channelId: "main" },
  sender: { id: "U1", username: "ann", isBot: false },
  session: { type: "main" as const },
};

test("posts a file to the turn's chat, the same post for the same call", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  const posted: NewDelivery[] = [];
  const outbox = { post: async (deliveries: NewDelivery[]) => void posted.push(...deliveries) };
  const tool = createAttachTool(operations, { outbox, scope });
  const attach = (id: string, params: { path: string; caption?: string }) =>
    tool.execute(id, params, new AbortController().signal, () => undefined);
  await put("out/report.pdf", "12345");
  assert.match(textOf(await attach("call-1", { path: "out/report.pdf", caption: "Here" })), /report\.pdf \(5 B\)/);
  await attach("call-1", { path: "out/report.pdf" });
  await attach("call-2", { path: "out/report.pdf" });
  assert.deepEqual(posted[0], {
    id: "t1.call-1.0",
    channel: scope.channel,
    turnId: "t1",
    body: { type: "file", path: `${dir}/out/report.pdf`, filename: "report.pdf", isReal: true, caption: "Here" },
  });
  assert.deepEqual(
    posted.map((delivery) => delivery.id),
    ["t1.call-1.0", "t1.call-1.0", "t1.call-2.0"],
  );
});

test("goes to the chat, and in a direct one to the person", async (t) => {
  const { operations } = await createToolWorkspace(t);
  const outbox = { post: () => assert.fail("must not post") };
  const recipients = (type: "dm" | "main" | "group") =>
    createAttachTool(operations, { outbox, scope: { ...scope, session: { type } } }).recipients?.({ path: "x" });
  for (const type of ["dm", "main"] as const) {
    assert.deepEqual(recipients(type), ["main", "cli:main", "U1", "cli:U1"]);
  }
  assert.deepEqual(recipients("group"), ["main", "cli:main"]);
});

test("posts nothing that is closed, missing, no file or too big", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  const outbox = { post: () => assert.fail("must not post") };
  const tool = createAttachTool(operations, { outbox, scope });
  const attach = (path: string) => tool.execute("call", { path }, new AbortController().signal, () => undefined);
  await put("state/auth.json", "{}");
  await put("big", "");
  await truncate(join(dir, "big"), 51 * 1024 * 1024);
  await symlink("/etc/hostname", join(dir, "link"));
  for (const path of ["state/auth.json", "/etc/hostname", "link"]) {
    await assert.rejects(attach(path), { code: "PATH_REFUSED" });
  }
  await assert.rejects(attach("missing"), { code: "FILE_NOT_FOUND" });
  await assert.rejects(attach("."), { code: "FILE_NOT_FOUND" });
  await assert.rejects(attach("big"), { code: "FILE_TOO_BIG" });
});
