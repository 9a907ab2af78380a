/** Posts → Telegram: in which form, what becomes of them, and what is said when something goes wrong. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openStage, type StageOptions } from "../../../test/fakes/telegram/rig.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { OutgoingText } from "../../contracts/channel.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import { telegramCapabilities } from "./capabilities.ts";

async function open(context: TestContext, options?: StageOptions) {
  const stage = await openStage(context, options);
  await stage.adapter.start();
  const { platform, adapter } = stage;
  let deliveries = 0;
  const send = (text: string, more: Partial<OutgoingText> = {}, channelId = platform.chats.owner) =>
    adapter.sendMessage(channelId, { deliveryId: `d.${++deliveries}` as DeliveryId, text, ...more });
  const last = (channelId = platform.chats.owner) => {
    const { id } = platform.posts(channelId).at(-1) ?? assert.fail("nothing was posted");
    return platform.message(channelId, id);
  };
  /** Lets the time pass that a post has to wait for its turn. */
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const noted = work.finally(() => {
      isDone = true;
    });
    await stage.until(() => isDone, 500);
    return noted;
  };
  return { ...stage, chats: platform.chats, people: platform.people, send, last, wait };
}
const oldServer = { platform: { hasRichMessages: false } };

test("a reply is a rich message, and HTML on a server that does not know those", async (context) => {
  const text = "# Title\n\n**bold** and [a link](https://example.org)";
  const rich = await open(context);
  assert.equal((await rich.send(text)).type, "sent");
  assert.deepEqual([rich.last().format, rich.last().text, rich.last().tags], ["rich", "Title\n\nbold and a link", []]);
  const old = await open(context, oldServer);
  assert.equal((await old.send(text)).type, "sent");
  assert.deepEqual([old.last().format, old.last().text], ["html", "Title\n\nbold and a link"]);
  assert.deepEqual(old.last().tags, ["b", "b", "a"]);
});

test("a server that forgets rich messages while mom runs gets HTML from then on", async (context) => {
  const { platform, send, last } = await open(context);
  platform.fail({ type: "status", method: "sendRichMessage", status: 404 });
  assert.equal((await send("one")).type, "sent");
  assert.equal(last().format, "html");
});

test("markup that Telegram does not understand costs the looks, never the reply", async (context) => {
  const { platform, send, last } = await open(context);
  const body = { ok: false, error_code: 400, description: "Bad Request: can't parse entities: Unsupported start tag" };
  for (const method of ["sendRichMessage", "sendMessage"]) platform.fail({ type: "status", method, status: 400, body });
  assert.equal((await send("**important**")).type, "sent");
  assert.deepEqual([last().format, last().text], ["plain", "important"]);
});

test("more blocks than a rich message may have become HTML", async (context) => {
  const { send, last } = await open(context);
  assert.equal((await send("- a\n".repeat(400))).type, "sent");
  assert.equal(last().format, "html");
});

test("nothing that a model writes becomes more than words and links", async (context) => {
  const { send, last } = await open(context);
  const evil =
    '<tg-button type="url" url="https://e.example">x</tg-button> ||a|| ==b== $c$ ![i](https://e.example/?s=1) <details>d</details>';
  await send(evil);
  assert.deepEqual(last().tags, []);
  assert.ok(last().text.includes("<details>d</details>"));
});

test("addresses in a post are not fetched by Telegram for a preview", async (context) => {
  const { platform, send } = await open(context, oldServer);
  await send("see https://example.org/?secret=1");
  const { params } = platform.calls.findLast(({ method }) => method === "sendMessage") ?? assert.fail();
  assert.deepEqual(params["link_preview_options"], { is_disabled: true });
});

test("every part fits in whichever form it is sent", async (context) => {
  const wide = [
    "| a | b |",
    "|---|---|",
    ...Array.from({ length: 60 }, (_, n) => `| ${n} | ${"word ".repeat(n % 9)} |`),
  ];
  const text = [
    wide.join("\n"),
    "long & <odd> *words* ".repeat(900),
    `\`\`\`ts\n${"const x = 1;\n".repeat(500)}\`\`\``,
  ].join("\n\n");
  for (const options of [{}, oldServer]) {
    const { platform, adapter, send, wait } = await open(context, options);
    const parts = adapter.render(text);
    assert.ok(parts.length > 3);
    const results: string[] = [];
    for (const part of parts) {
      results.push((await wait(send(part, { repeated: true }))).type);
    }
    assert.ok(
      results.every((type) => type === "sent"),
      results.join(),
    );
    assert.equal(platform.posts().length, parts.length);
  }
});

test("what nobody has cut to fit is cut by mom rather than lost", async (context) => {
  const { send, last } = await open(context, oldServer);
  assert.equal((await send("x".repeat(5_000))).type, "sent");
  assert.deepEqual([last().text.length, last().text.at(-1), last().format], [4_096, "…", "plain"]);
});

test("what a failure means for a post", async (context) => {
  const { platform, send, chats } = await open(context);
  const method = "sendRichMessage";
  platform.fail({ type: "status", method, status: 429, retryAfterMs: 7_000 });
  assert.deepEqual(await send("a"), { type: "retry", reason: "Too Many Requests: retry after 7", retryAfterMs: 7_000 });
  // The pause holds for the chat, and for no other.
  assert.deepEqual((await send("b")).type, "retry");
  const elsewhere = { deliveryId: "e" as DeliveryId };
  assert.equal((await send("c", elsewhere, chats.other)).type, "sent");
  for (const [status, type] of [
    [503, "retry"],
    [500, "retry"],
    [502, "unknown"],
  ] as const) {
    platform.fail({ type: "status", method, status });
    assert.equal((await send("d", {}, chats.other)).type, type, String(status));
  }
});

test("an answer that is lost leaves the post in doubt, and its repetition says so", async (context) => {
  const { platform, adapter, send, last, chats } = await open(context);
  platform.fail({ type: "cut" });
  assert.equal((await send("once", { deliveryId: "x.1" as DeliveryId })).type, "unknown");
  assert.equal(platform.posts(chats.owner).length, 1);
  assert.deepEqual(await adapter.settle(chats.owner, "x.1" as DeliveryId), { type: "unknown" });
  assert.equal((await send("once", { deliveryId: "x.1" as DeliveryId, repeated: true })).type, "sent");
  assert.match(last().text, /^once\n\n\(sent again; it may have appeared before\)$/);
});

test("a post that never left is simply tried again", async (context) => {
  const { platform, adapter, clock, send } = await open(context);
  await platform.close();
  while (adapter.health().state !== "reconnecting") await clock.advance(0);
  const result = await send("x");
  assert.ok(result.type === "retry");
  assert.match(result.reason, /cannot be reached/);
  assert.doesNotMatch(result.reason, /AAtest/);
});

test("refusals name their remedy", async (context) => {
  const { platform, send, chats } = await open(context);
  const refused = async (channelId: string) => {
    const result = await send("x", {}, channelId);
    return result.type === "rejected" ? result.reason : result.type;
  };
  platform.member(chats.other, "kicked");
  assert.match(await refused(chats.other), /The person has blocked the bot/);
  assert.match(await refused("12345"), /have the person write to it first/);
  assert.match(await refused("no-such-chat"), /ids are numbers/);
  assert.match(await refused(`${platform.places.forum}/9999`), /The topic is gone/);
});

test("replies point to what they answer, and go out also when that is gone", async (context) => {
  const { platform, send, last, next, chats, people } = await open(context);
  const id = platform.say({ channelId: chats.owner, userId: people.owner, text: "question" });
  await next();
  await send("answer", { replyTo: id });
  assert.equal(last().replyTo, Number(id));
  assert.equal((await send("answer", { replyTo: "987" })).type, "sent");
  assert.equal(last().replyTo, undefined);
});

test("a post in a topic stays there", async (context) => {
  const { platform, send } = await open(context);
  await send("for the topic", {}, platform.places.topic);
  assert.equal(platform.posts(platform.places.topic)[0]?.text, "for the topic");
});

test("a change that is made already is made", async (context) => {
  const { adapter, send, last, chats } = await open(context);
  const sent = await send("before");
  assert.ok(sent.type === "sent");
  assert.equal((await adapter.updateMessage(chats.owner, sent.messageId, "after")).type, "sent");
  assert.equal((await adapter.updateMessage(chats.owner, sent.messageId, "after")).type, "sent");
  assert.equal(last().text, "after");
  const gone = await adapter.updateMessage(chats.owner, "999", "x");
  assert.ok(gone.type === "rejected");
  assert.match(gone.reason, /message to edit not found/);
  assert.equal((await adapter.updateMessage(chats.owner, "abc", "x")).type, "rejected");
});

const question = {
  buttons: [
    { label: "Allow", says: "/approve k3 once", look: "good" as const },
    { label: "Deny", says: "/deny k3" },
  ],
};

test("a press says what the button says, in the presser's name; an admin's takes the buttons away", async (context) => {
  const stage = await open(context, { config: { admins: ["1001"] } });
  const { platform, send, last, next, until, chats, people } = stage;
  assert.equal(people.owner, "1001");
  const sent = await send("May I?", question, chats.group);
  assert.ok(sent.type === "sent");
  assert.deepEqual(
    last(chats.group).keyboard?.[0]?.map(({ text }) => text),
    ["Allow", "Deny"],
  );
  const id = platform.press({ channelId: chats.group, messageId: sent.messageId, userId: people.other, label: "Deny" });
  const pressed = await next();
  assert.deepEqual(
    [pressed.id, pressed.text, pressed.sender.id, pressed.isMention, pressed.replyTo, pressed.channelId],
    [id, "/deny k3", people.other, true, sent.messageId, chats.group],
  );
  await until(() => platform.state.openQueries.size === 0);
  assert.notEqual(last(chats.group).keyboard, undefined, "whoever has no word in it leaves the question as it was");
  platform.press({ channelId: chats.group, messageId: sent.messageId, userId: people.owner, label: "Deny" });
  await until(() => platform.state.openQueries.size === 0 && last(chats.group).keyboard === undefined);
});

test("a press that no button of mom's made is ignored and answered", async (context) => {
  const { platform, send, heard, until, next, chats, people } = await open(context);
  const sent = await send("May I?", question);
  assert.ok(sent.type === "sent");
  const where = { channelId: chats.owner, userId: people.owner };
  platform.press({ ...where, messageId: sent.messageId, data: "/approve k4 always" });
  const foreign = platform.say({ ...where, text: "mine" });
  await next();
  platform.press({ ...where, messageId: foreign, data: "/approve k3 once" });
  await until(() => platform.state.openQueries.size === 0);
  assert.equal(heard.length, 1);
});

test("a press is answered only when it was taken", async (context) => {
  let isFull = true;
  const stage = await open(context, {
    handle: async () => {
      if (isFull) throw new Error("the disk is full");
    },
  });
  const sent = await stage.send("May I?", question);
  assert.ok(sent.type === "sent");
  const { owner } = stage.chats;
  stage.platform.press({ channelId: owner, messageId: sent.messageId, userId: owner, label: "Allow" });
  await stage.until(() => stage.log.lines.some(({ text }) => /was not taken/.test(text)));
  assert.equal(stage.platform.state.openQueries.size, 1);
  isFull = false;
  await stage.until(() => stage.platform.state.openQueries.size === 0, 500);
  assert.equal(stage.heard.length, 1);
});

test("buttons that say too much are left out", async (context) => {
  const { send, last } = await open(context);
  await send("May I?", { buttons: [{ label: "Yes", says: "ä".repeat(33) }] });
  assert.equal(last().keyboard, undefined);
});

test("files go out as what they are", async (context) => {
  const { adapter, last, wait, chats } = await open(context);
  const folder = await createTempFolder(context);
  const upload = async (filename: string, bytes: string, more: object = {}) => {
    const path = await folder.put(filename.replace(/\W/g, "_"), Buffer.from(bytes, "latin1"));
    const file = { deliveryId: `f.${filename}` as DeliveryId, path, filename, ...more };
    const result = await wait(adapter.uploadFile(chats.owner, file));
    return result.type === "sent" ? last().files[0] : result.type;
  };
  assert.deepEqual(await upload("a.png", "\x89PNG\r\n\x1a\nxx"), { filename: "a.png", bytes: 10, kind: "photo" });
  assert.deepEqual(await upload("v.ogg", "OggS\0\0..OpusHead"), { filename: "v.ogg", bytes: 16, kind: "voice" });
  assert.deepEqual(await upload("notes.txt", "hi"), { filename: "notes.txt", bytes: 2, kind: "document" });
  // Claims to be a picture and is none.
  assert.deepEqual(await upload("b.gif", "GIF89a"), { filename: "b.gif", bytes: 6, kind: "document" });
  assert.deepEqual(await upload('odd"; name\r\nx.txt', "hi"), {
    filename: "odd__ name x.txt",
    bytes: 2,
    kind: "document",
  });
  assert.equal(await upload("empty.txt", ""), "rejected");
  await upload("c.txt", "hi", { caption: "ä".repeat(2_000), repeated: true });
  assert.equal(last().text.length, 1_024);
  assert.match(last().text, /…$/);
});

test("a picture that Telegram cannot show is sent as a file", async (context) => {
  const { platform, adapter, last, chats } = await open(context);
  const folder = await createTempFolder(context);
  const path = await folder.put("wide.png", Buffer.from("\x89PNG\r\n\x1a\nxx", "latin1"));
  const body = { ok: false, error_code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" };
  platform.fail({ type: "status", method: "sendPhoto", status: 400, body });
  const file = { deliveryId: "f.1" as DeliveryId, path, filename: "wide.png" };
  assert.equal((await adapter.uploadFile(chats.owner, file)).type, "sent");
  assert.equal(last().files[0]?.kind, "document");
});

test("bursts are paced: a group gets no more than Telegram allows", async (context) => {
  const { platform, clock, send, until, chats } = await open(context);
  const results: string[] = [];
  for (let n = 0; n < 12; n++) void send(`${n}`, {}, chats.group).then(({ type }) => results.push(type));
  await until(() => results.length + platform.posts().length >= 12);
  assert.ok(platform.posts().length < 10);
  assert.ok(results.includes("retry"));
  assert.ok(clock.now() > 0);
});

test("the capabilities leave room for the note on a repeated post", () => {
  assert.ok(telegramCapabilities.maxMessageLength < 4_096);
});
