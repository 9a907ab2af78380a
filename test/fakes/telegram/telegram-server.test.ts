/** The fake Telegram itself, asked by the unmodified SDK: what it must do like the real one for tests against it to mean something. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Api, GrammyError, HttpError, InputFile } from "grammy";
import { createTelegramPlatform, type TelegramPlatformOptions } from "./index.ts";

async function open(context: TestContext, options: TelegramPlatformOptions = {}) {
  const platform = await createTelegramPlatform(options);
  context.after(() => platform.close());
  const { raw } = new Api(platform.token, { apiRoot: platform.apiUrl });
  const chat_id = Number(platform.chats.owner);
  const say = (text: string) => platform.say({ channelId: platform.chats.owner, userId: platform.people.owner, text });
  return { platform, api: raw, chat_id, say };
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail("it was taken"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GrammyError);
  return `${error.error_code} ${error.description}`;
}

test("an update stays until a higher offset is asked for", async (context) => {
  const { platform, api, say } = await open(context);
  say("one");
  say("two");
  const [first] = await api.getUpdates({ limit: 1 });
  assert.equal(first?.message?.text, "one");
  assert.equal((await api.getUpdates({})).length, 2);
  assert.equal(platform.unacknowledged, 2);
  const [second] = await api.getUpdates({ offset: (first?.update_id ?? 0) + 1 });
  assert.equal(second?.message?.text, "two");
  assert.equal(platform.unacknowledged, 1);
});

test("a poll waits for what comes; a second one ends it", async (context) => {
  const { platform, api, say } = await open(context);
  const waiting = api.getUpdates({ timeout: 30 });
  await platform.until(() => platform.isPolled);
  say("now");
  const [update] = await waiting;
  assert.equal(update?.message?.text, "now");
  const offset = (update?.update_id ?? 0) + 1;
  const first = refusal(api.getUpdates({ offset, timeout: 30 }));
  await platform.until(() => platform.isPolled);
  const second = new AbortController();
  const other = api.getUpdates({ offset, timeout: 30 }, second.signal as never).catch(() => undefined);
  assert.match(await first, /^409 Conflict: terminated by other getUpdates request/);
  second.abort();
  await other;
});

test("HTML is read as Telegram reads it, with its complaints", async (context) => {
  const { api, chat_id, platform } = await open(context);
  const complaint = (text: string) => refusal(api.sendMessage({ chat_id, text, parse_mode: "HTML" }));
  const start = "400 Bad Request: can't parse entities:";
  assert.equal(await complaint("ä <x>"), `${start} Unsupported start tag "x" at byte offset 3`);
  assert.equal(await complaint("<b>a"), `${start} Can't find end tag corresponding to start tag "b"`);
  assert.equal(await complaint("a</b>"), `${start} Unexpected end tag at byte offset 1`);
  assert.equal(
    await complaint("<b><i>a</b></i>"),
    `${start} Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`,
  );
  assert.equal(await complaint("<b"), `${start} Unclosed start tag at byte offset 0`);
  assert.equal(await complaint("<b> </b>"), "400 Bad Request: message text is empty");
  const { message_id } = await api.sendMessage({ chat_id, text: "<b>1 &lt; 2</b> &amp;", parse_mode: "HTML" });
  assert.equal(platform.message(platform.chats.owner, String(message_id)).text, "1 < 2 &");
});

test("lengths count what is left after the markup, in UTF-16 units", async (context) => {
  const { api, chat_id } = await open(context);
  await api.sendMessage({ chat_id, text: `<b>${"😀".repeat(2_048)}</b>`, parse_mode: "HTML" });
  const tooLong = refusal(api.sendMessage({ chat_id, text: `${"😀".repeat(2_048)}.` }));
  assert.equal(await tooLong, "400 Bad Request: message is too long");
  await api.sendRichMessage({ chat_id, rich_message: { markdown: "x".repeat(32_768) } });
  const markdown = "x".repeat(32_769);
  assert.match(await refusal(api.sendRichMessage({ chat_id, rich_message: { markdown } })), /too long/);
});

test("edits and deletions are refused in Telegram's words", async (context) => {
  const { api, chat_id, say } = await open(context);
  const { message_id } = await api.sendMessage({ chat_id, text: "a" });
  const edit = (id: number, text: string) => refusal(api.editMessageText({ chat_id, message_id: id, text }));
  assert.match(await edit(message_id, "a"), /^400 Bad Request: message is not modified/);
  assert.equal(await edit(999, "a"), "400 Bad Request: message to edit not found");
  assert.equal(await edit(Number(say("mine")), "x"), "400 Bad Request: message can't be edited");
  await api.deleteMessage({ chat_id, message_id });
  assert.match(await refusal(api.deleteMessage({ chat_id, message_id })), /message to delete not found/);
});

test("files come in by multipart and go out under their path", async (context) => {
  const { api, chat_id, platform } = await open(context);
  const sent = await api.sendDocument({
    chat_id,
    document: new InputFile(Buffer.from("content"), "a.txt"),
    caption: "7",
  });
  assert.equal(sent.caption, "7");
  const { file_path } = await api.getFile({ file_id: sent.document.file_id });
  const response = await fetch(`${platform.apiUrl}/file/bot${platform.token}/${file_path}`);
  assert.equal(await response.text(), "content");
});

test("an old server does not know rich messages, and ignores what it does not know", async (context) => {
  const { api, chat_id } = await open(context, { hasRichMessages: false });
  const rich_message = { markdown: "x" };
  assert.equal(await refusal(api.sendRichMessage({ chat_id, rich_message })), "404 Not Found");
  assert.equal(await refusal(api.sendRichMessageDraft({ chat_id, draft_id: 1, rich_message })), "404 Not Found");
  const { message_id } = await api.sendMessage({ chat_id, text: "a" });
  assert.match(await refusal(api.editMessageText({ chat_id, message_id, rich_message })), /message text is empty/);
});

test("faults happen once, to the call that they name", async (context) => {
  const { api, chat_id, platform } = await open(context);
  platform.fail({ type: "status", status: 429, retryAfterMs: 3_000 });
  platform.fail({ type: "cut", method: "sendPoll" });
  await api.getMe();
  const limited = await api.sendMessage({ chat_id, text: "a" }).catch((error: unknown) => error);
  assert.ok(limited instanceof GrammyError);
  assert.equal(limited.parameters.retry_after, 3);
  await api.sendMessage({ chat_id, text: "a" });
  const cut = await api
    .sendPoll({ chat_id, question: "?", options: [{ text: "a" }, { text: "b" }] })
    .catch((error: unknown) => error);
  assert.ok(cut instanceof HttpError);
  assert.equal(platform.posts().length, 2, "what is cut was done");
});

test("while a webhook is set, updates are posted there with the secret until they are taken, and nobody can poll", async (context) => {
  const seen: { secret: string | undefined; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const update = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { message: { text: string } };
    const secret = request.headers["x-telegram-bot-api-secret-token"] as string | undefined;
    seen.push({ secret, text: update.message.text });
    response.writeHead(seen.length < 3 ? 500 : 200, { connection: "close" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const reach = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { platform, api, say } = await open(context, { reach });
  assert.match(await refusal(api.setWebhook({ url: "http://a.example/" })), /HTTPS URL must be provided/);
  await api.setWebhook({ url: "https://a.example/", secret_token: "s" });
  assert.match(await refusal(api.getUpdates({})), /^409 .*webhook is active/);
  say("one");
  say("two");
  await platform.until(() => platform.unacknowledged === 0);
  assert.deepEqual(
    seen,
    ["one", "one", "one", "two"].map((text) => ({ secret: "s", text })),
  );
  assert.match((await api.getWebhookInfo()).last_error_message ?? "", /500/);
  await api.deleteWebhook({});
  say("three");
  assert.equal((await api.getUpdates({})).length, 1);
});
