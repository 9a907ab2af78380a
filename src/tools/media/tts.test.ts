/** `tts`: espeak-ng and endpoints, sound files that play, sent once, and refusals before anything is paid for. */
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createMediaServer } from "../../../test/fakes/media-server.ts";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { ChannelCapabilities } from "../../contracts/channel.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { NewDelivery } from "../../contracts/store.ts";
import { createHostExecutor, loadPrograms } from "../../sandbox/index.ts";
import { ttsConfig } from "./config.ts";
import { createTtsTool } from "./tts.ts";

const clock = createFakeClock(Date.UTC(2026, 10, 16, 9, 45, 12));
const scope = {
  turnId: "t1" as TurnId,
  channel: { adapter: "chat", channelId: "C1" },
  sender: { id: "U1", username: "ann", isBot: false },
  session: { type: "group" as const },
};

interface StageOptions {
  config?: Record<string, unknown>;
  maxUploadBytes?: number;
  operations?: Operations;
}

async function createStage(t: TestContext, { config = {}, maxUploadBytes = 1_000_000, operations }: StageOptions = {}) {
  const workspace = await createToolWorkspace(t);
  const posted: NewDelivery[] = [];
  const adapter = {
    name: "chat",
    type: "chat",
    capabilities: { maxUploadBytes } as ChannelCapabilities,
    render: () => [],
    findClosedGate: () => undefined,
    channels: [],
    users: [],
  };
  const tool = createTtsTool(operations ?? workspace.operations, {
    config: ttsConfig.parse(config),
    clock,
    scratchFolder: "scratch",
    outbox: { post: async (deliveries) => void posted.push(...deliveries) },
    scope,
    directory: { adapters: () => [adapter] },
  });
  const run = (params: Parameters<typeof tool.execute>[1], signal = new AbortController().signal) =>
    tool.execute("c1", params, signal, () => undefined);
  return { ...workspace, tool, posted, run };
}

/** Operations on a machine whose only programs are these scripts. */
async function withPrograms(t: TestContext, scripts: Record<string, string>) {
  const { dir } = await createToolWorkspace(t);
  const bin = join(dir, "bin");
  await mkdir(bin);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const executor = createHostExecutor({
    clock: createSystemClock(),
    log: silentLog,
    programs: await loadPrograms(),
    environment: { PATH: bin },
  });
  t.after(() => executor.close());
  return { dir, operations: executor.open({ cwd: dir, roots: [dir], hidden: [] }) };
}

async function hasEspeak(t: TestContext): Promise<boolean> {
  const { operations } = await createToolWorkspace(t);
  const probe = {
    command: { argv: ["espeak-ng", "--version"] },
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    maxOutputBytes: 100,
  };
  return operations.exec(probe).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
}

test("espeak-ng speaks into a sound file that players understand", async (t) => {
  if (!(await hasEspeak(t))) return t.skip("espeak-ng is not installed");
  const { run, operations } = await createStage(t);
  const result = await run({ text: "Hello world, how are you?", voice: "en-us" });
  const { path, bytes, by, durationMs = 0 } = result.details;
  assert.match(path, /^scratch\/speech-20261116-094512-[0-9a-f]{4}\.wav$/);
  assert.equal(by, "espeak-ng");
  assert.ok(durationMs > 500 && durationMs < 10_000, String(durationMs));
  const wav = Buffer.from(await operations.readFile(path));
  assert.deepEqual([wav.length, wav.toString("latin1", 0, 4)], [bytes, "RIFF"]);
  assert.equal(wav.readUInt32LE(4), wav.length - 8);
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
  assert.match(textOf(result), /^Saved scratch\/speech-.*\.wav \(.* s, by espeak-ng\)\.$/);
});

test("the longest text is spoken, and nothing in it is an option, a command or markup", async (t) => {
  if (!(await hasEspeak(t))) return t.skip("espeak-ng is not installed");
  const { run, operations } = await createStage(t);
  const long = await run({ text: "word ".repeat(800), to: "long.wav" });
  assert.ok((long.details.durationMs ?? 0) > 60_000);
  for (const text of [
    "--version",
    "-w evil.wav",
    "$(touch evil)",
    "`touch evil`; <audio src='evil'/>",
    "-f /etc/passwd",
  ]) {
    const { details } = await run({ text, to: "odd.wav" });
    assert.ok((details.durationMs ?? 0) > 200, text);
  }
  assert.deepEqual((await operations.readdir(".")).map(({ name }) => name).sort(), ["long.wav", "odd.wav"]);
});

test("a voice that espeak-ng lacks is said", async (t) => {
  if (!(await hasEspeak(t))) return t.skip("espeak-ng is not installed");
  const { run, operations } = await createStage(t, { config: { voice: "tlh-nowhere" } });
  await assert.rejects(run({ text: "nuqneH" }), { code: "TTS_VOICE_UNKNOWN", message: /"tlh-nowhere"/ });
  assert.equal(await operations.stat("scratch"), undefined);
});

test("a text without words is not spoken, and no sound is no file", async (t) => {
  const { operations } = await withPrograms(t, { "espeak-ng": "printf RIFF" });
  const { run } = await createStage(t, { operations });
  await assert.rejects(run({ text: " \n\t" }), { code: "TTS_FAILED", message: /nothing to speak/ });
  await assert.rejects(run({ text: "\u200b" }), { code: "TTS_FAILED", message: /no sound came/ });
  assert.equal(await operations.stat("scratch"), undefined);
});

test("the text is given by standard input, the voice as one word", async (t) => {
  // 44 bytes of header with espeak-ng's made-up lengths, then what it was given as sound.
  const header =
    "RIFF\\044\\360\\377\\177WAVEfmt \\020\\000\\000\\000\\001\\000\\001\\000\\042\\126\\000\\000\\104\\254\\000\\000\\002\\000\\020\\000data\\000\\360\\377\\177";
  const { operations } = await withPrograms(t, {
    "espeak-ng": `printf '${header}'; printf '%s|' "$@"; while IFS= read -r line || [ -n "$line" ]; do printf '%s' "$line"; done`,
  });
  const { run } = await createStage(t, { operations });
  await run({ text: "-v evil 'quoted' ä", voice: "de", to: "a.wav" });
  const wav = Buffer.from(await operations.readFile("a.wav"));
  assert.equal(wav.toString("utf8", 44), "--stdin|--stdout|-b|1|-v|de|-v evil 'quoted' ä");
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
});

test("where nothing can speak the answer says how to get it", async (t) => {
  const { operations } = await withPrograms(t, {});
  const setUp = { code: "TTS_NOT_SET_UP", hint: /apt install espeak-ng.*tools\.tts\.apiKey.*tools\.tts\.baseUrl/ };
  for (const provider of ["auto", "espeak"]) {
    const { run } = await createStage(t, { operations, config: { provider } });
    await assert.rejects(run({ text: "hi" }), setUp);
  }
  const wrapped = await withPrograms(t, {
    "espeak-ng": "echo 'bwrap: execvp espeak-ng: No such file or directory' >&2; exit 1",
  });
  const { run } = await createStage(t, { operations: wrapped.operations });
  await assert.rejects(run({ text: "hi" }), setUp);
  const openai = await createStage(t, { config: { provider: "openai" } });
  await assert.rejects(openai.run({ text: "hi" }), setUp);
});

test("a program that fails is quoted, and one that floods is ended", async (t) => {
  const failing = await withPrograms(t, { "espeak-ng": "echo 'no phonemes found' >&2; exit 3" });
  const first = await createStage(t, { operations: failing.operations });
  await assert.rejects(first.run({ text: "hi" }), { code: "TTS_FAILED", message: /no phonemes found/ });
  const flooding = await withPrograms(t, { "espeak-ng": "exec /bin/cat /dev/zero" });
  const second = await createStage(t, { operations: flooding.operations });
  await assert.rejects(second.run({ text: "hi" }), { code: "TTS_FAILED", message: /more than 64 MB/ });
});

test("a stop ends the program", async (t) => {
  const { operations } = await withPrograms(t, { "espeak-ng": "exec /bin/sleep 60" });
  const { run } = await createStage(t, { operations });
  const stopping = new AbortController();
  const speaking = run({ text: "hi" }, stopping.signal);
  stopping.abort();
  await assert.rejects(speaking, { code: "ABORTED" });
});

test("an endpoint that is set up speaks, also where espeak-ng is there", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const { run, operations } = await createStage(t, {
    config: { baseUrl: server.url, apiKey: "sk-1", model: "voice-1" },
  });
  server.replies.push({ type: "sound", bytes: Buffer.from("mp3 bytes") });
  const result = await run({ text: "Hello" });
  assert.match(result.details.path, /^scratch\/speech-.*\.mp3$/);
  assert.equal(result.details.by, `${new URL(server.url).host} (voice-1)`);
  assert.equal(Buffer.from(await operations.readFile(result.details.path)).toString(), "mp3 bytes");
  assert.deepEqual(server.requests[0]?.body, {
    model: "voice-1",
    input: "Hello",
    voice: "alloy",
    response_format: "mp3",
  });
  assert.deepEqual(
    [server.requests[0]?.path, server.requests[0]?.headers.authorization],
    ["/v1/audio/speech", "Bearer sk-1"],
  );
});

test("voice and format are the call's or the configured ones; opus is an Ogg file", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const { run } = await createStage(t, { config: { baseUrl: server.url, voice: "nova", format: "opus" } });
  server.replies.push({ type: "sound", bytes: new Uint8Array(9), contentType: "audio/ogg" });
  server.replies.push({ type: "sound", bytes: new Uint8Array(9), contentType: "application/octet-stream" });
  assert.match((await run({ text: "a" })).details.path, /\.ogg$/);
  await run({ text: "b", voice: "echo" });
  assert.deepEqual(
    server.requests.map(({ body }) => [body["voice"], body["response_format"]]),
    [
      ["nova", "opus"],
      ["echo", "opus"],
    ],
  );
});

test("the operator's choice of provider is kept", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const { operations } = await withPrograms(t, { "espeak-ng": "echo 'I was asked' >&2; exit 3" });
  const { run } = await createStage(t, { operations, config: { provider: "espeak", baseUrl: server.url } });
  await assert.rejects(run({ text: "hi" }), { message: /I was asked/ });
  assert.equal(server.requests.length, 0);
});

test("an answer that is no sound is an error, and nothing is saved or sent", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const { run, operations, posted } = await createStage(t, { config: { baseUrl: server.url } });
  const invalid = { code: "MEDIA_ANSWER_INVALID" };
  server.replies.push({ type: "garbage", body: '{"ok":true}' }, { type: "sound", bytes: new Uint8Array() });
  server.replies.push({ type: "garbage", body: "<html>", contentType: "text/html; charset=utf-8" });
  for (let n = 0; n < 3; n++) await assert.rejects(run({ text: "a", send: true }), invalid);
  server.replies.push({ type: "oversize", bytes: 40_000_000, contentType: "audio/mpeg" });
  await assert.rejects(run({ text: "a", send: true }), { code: "MEDIA_TOO_BIG" });
  server.replies.push({ type: "status", status: 401 });
  await assert.rejects(run({ text: "a", send: true }), { code: "MEDIA_KEY_REFUSED", hint: /tools\.tts\.apiKey/ });
  assert.deepEqual([posted, await operations.stat("scratch")], [[], undefined]);
});

test("the sound is sent to this chat, once per call", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const { run, posted, dir, tool } = await createStage(t, { config: { baseUrl: server.url } });
  server.replies.push({ type: "sound", bytes: new Uint8Array(9) }, { type: "sound", bytes: new Uint8Array(9) });
  const result = await run({ text: "Hello", to: "out/hello.mp3", send: true });
  assert.match(textOf(result), /It is on its way to the chat\.$/);
  await run({ text: "Hello", to: "out/hello.mp3" });
  assert.deepEqual(posted, [
    {
      id: "t1.c1.0",
      turnId: "t1",
      channel: scope.channel,
      body: { type: "file", path: `${dir}/out/hello.mp3`, filename: "hello.mp3", isReal: true },
    },
  ]);
  assert.deepEqual(tool.recipients?.({ text: "x", send: true }), ["C1", "chat:C1"]);
  assert.deepEqual(tool.recipients?.({ text: "x" }), []);
});

test("a chat that takes no files, or none so large, gets none", async (t) => {
  const server = await createMediaServer();
  t.after(() => server.close());
  const config = { baseUrl: server.url };
  const none = await createStage(t, { config, maxUploadBytes: 0 });
  await assert.rejects(none.run({ text: "a", send: true }), { code: "CHAT_CANNOT" });
  assert.equal(server.requests.length, 0, "before anything is paid for");
  const small = await createStage(t, { config, maxUploadBytes: 8 });
  server.replies.push({ type: "sound", bytes: new Uint8Array(9) });
  await assert.rejects(small.run({ text: "a", send: true }), { code: "FILE_TOO_BIG" });
  assert.deepEqual([none.posted, small.posted], [[], []]);
});

test("its declaration is short, and no voice is an option or a path", async (t) => {
  const { tool } = await createStage(t);
  const { name, description, parameters } = tool;
  assert.ok(JSON.stringify({ name, description, parameters }).length <= 600);
  const pattern = new RegExp(JSON.parse(JSON.stringify(parameters)).properties.voice.pattern);
  for (const voice of ["alloy", "en-us+f3", "de", "mb-de5"]) assert.match(voice, pattern);
  for (const voice of ["-w", "--stdout", "../x", "a/b", "a b", "", "!v"]) assert.doesNotMatch(voice, pattern);
});
