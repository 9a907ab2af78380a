/** Which conversation a request is said in, and what of it is said there. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type OpenAI from "openai";
import { answer, collect, createOpenAiStage } from "../../../test/fakes/openai-stage.ts";
import { readToken } from "../../../test/fakes/route-server.ts";

const hello = { model: "mom", messages: [{ role: "user" as const, content: "Hello" }] };

describe("a conversation", () => {
  test("without a user is passing, and told everything at once", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Blue");
    await stage.client.chat.completions.create({
      model: "mom/helper",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Name a colour." },
        { role: "assistant", content: "Red" },
        { role: "user", content: [{ type: "text", text: "Another." }] },
      ],
    });
    const [said] = stage.said;
    assert.equal(said?.to.type === "named" && said.to.isPassing && said.to.agentId, "helper");
    assert.equal(
      said?.text,
      "Instructions for this conversation:\nBe short.\n\n" +
        "The conversation so far:\n\nUser: Name a colour.\n\nYou: Red\n\nAnswer this now:\nAnother.",
    );
  });

  test("with a user is kept, and told the news only", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Blue");
    const system = { role: "system" as const, content: "Be short." };
    const first = [system, { role: "user" as const, content: "Name a colour." }];
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      stage.client.chat.completions.create({ model: "mom", user: "alice@example.com", messages });
    await ask(first);
    await ask([...first, { role: "assistant", content: "Blue" }, { role: "user", content: "Another." }]);
    await ask([system, { role: "user", content: "/status" }]);
    await ask([system, { role: "user", content: "And one more." }]);
    assert.deepEqual(
      stage.said.map(({ text }) => text),
      [
        "Instructions for this conversation:\nBe short.\n\nAnswer this now:\nName a colour.",
        "Another.",
        "/status",
        "Instructions for this conversation:\nBe short.\n\nAnswer this now:\nAnd one more.",
      ],
    );
    const names = stage.said.map(({ to }) => (to.type === "named" ? [to.name, to.isPassing] : []));
    assert.deepEqual(new Set(names.map(String)), new Set(["user-alice~40example.com,"]));
  });

  test("is never somebody else's, whatever the user is called", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "Yes");
    const users = [
      "main",
      "agent:main:main",
      "../main",
      "session/agent:main:main",
      "once-1",
      "kept-1",
      "a/b",
      "a~2Fb",
      "ä".repeat(256),
    ];
    for (const user of users) await stage.client.chat.completions.create({ ...hello, user });
    const keys = (await stage.store.sessions.list()).map(({ sessionKey }) => sessionKey);
    assert.equal(keys.length, users.length);
    for (const key of keys) {
      assert.match(key, /^agent:main:dm:webchat:api\/main\/(user|long)-[\w.~!'()*%-]+$/);
      assert.ok(key.length < 512);
    }
  });

  test("takes pictures and files along", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.script = (turn) => answer(turn, "A dot");
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    await stage.client.chat.completions.create({
      model: "mom",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: `data:image/jpeg;base64,${png.toString("base64")}` } },
            { type: "file", file: { filename: "../notes.txt", file_data: "data:text/plain;base64,aGVsbG8gd29ybGQ=" } },
          ],
        },
      ],
    });
    const [image, notes] = stage.said[0]?.attachments ?? [];
    assert.equal(stage.said[0]?.text, "What is this?");
    assert.deepEqual([image?.filename, image?.mimeType, image?.size], ["image.png", "image/png", png.length]);
    assert.deepEqual([notes?.filename, notes?.mimeType, notes?.size], ["../notes.txt", "text/plain", 11]);
    assert.match(notes?.localPath ?? "", /^channels\/webchat\/[^/]+\/attachments\/[\w-]+\.txt$/);
  });

  test("leaves no files behind where it was not taken", async (t) => {
    const stage = await createOpenAiStage(t);
    stage.sayInstead = { type: "refused", reason: "no" };
    const removed: string[] = [];
    const { channels } = stage.house.store;
    const { remove } = channels;
    channels.remove = async (channel) => {
      removed.push(channel.channelId);
      await remove(channel);
    };
    const file = { filename: "a.txt", file_data: "data:text/plain;base64,aGVsbG8gd29ybGQ=" };
    const asked = stage.client.chat.completions.create({
      model: "mom",
      messages: [{ role: "user", content: [{ type: "file", file }] }],
    });
    await assert.rejects(asked, { status: 503 });
    assert.match(removed.join(), /^api\/main\/once-[0-9a-f]{32}$/);
  });
});

test("models are mom's agents", async (t) => {
  const { client } = await createOpenAiStage(t);
  const models = await collect(client.models.list());
  assert.deepEqual(
    models.map(({ id }) => id),
    ["mom", "mom/main", "mom/helper"],
  );
  assert.deepEqual(
    { ...(await client.models.retrieve("mom/helper")), created: 0 },
    {
      id: "mom/helper",
      object: "model",
      created: 0,
      owned_by: "mom",
    },
  );
  await assert.rejects(client.models.retrieve("gpt-5"), { status: 404, code: "model_not_found" });
  assert.equal((await client.withOptions({ apiKey: readToken }).models.retrieve("mom")).id, "mom");
});
