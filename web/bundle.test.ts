/** What the browser is given: small, whole, and nothing that a strict Content-Security-Policy would refuse. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { bundleWeb, saveWeb, type WebBundle } from "../scripts/build-web.ts";

let bundle: WebBundle;
before(async () => {
  bundle = await bundleWeb();
});

const textOf = (ending: string) =>
  bundle.files.filter(({ path }) => path.endsWith(ending)).map(({ contents }) => new TextDecoder().decode(contents));

test("nothing is inline, and everything is asked for here", () => {
  const [index = ""] = textOf("index.html");
  assert.ok(!/<style|\sstyle=|\son\w+=|javascript:/i.test(index));
  for (const [tag] of index.matchAll(/<script[^>]*>/g)) assert.match(tag, / src="\/assets\/[\w-]+\.js"/);
  const addresses = [...index.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address);
  assert.ok(addresses.length >= 4);
  const known = new Set(bundle.files.map(({ path }) => `/${path}`));
  assert.deepEqual(
    addresses.filter((address) => !known.has(address)),
    [],
  );
});

test("styles load nothing, from here or elsewhere", () => {
  for (const style of textOf(".css")) assert.ok(!/@import|url\(\s*["']?(?!data:)/.test(style));
});

test("no script makes code out of text", () => {
  // typebox has one place that would; it is for compiled schemas, which the page does not use.
  const found = textOf(".js").flatMap((script) => [...script.matchAll(/\beval\(|new Function\(/g)]);
  assert.deepEqual(found, []);
});

test("before the first page is there, at most 150 kB come over the wire", () => {
  assert.ok(bundle.initialBytes > 20_000);
  assert.ok(bundle.initialBytes <= 150_000, `${bundle.initialBytes} bytes`);
});

test("every file lies there compressed, too, and the folder holds nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mom-web-"));
  try {
    await saveWeb({ ...bundle, files: bundle.files.filter(({ path }) => /index|theme|icon/.test(path)) }, folder);
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name)).sort();
    const plain = names.filter((name) => !/\.(br|gz)$/.test(name));
    assert.deepEqual(names, plain.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).sort());
    for (const name of plain) {
      const contents = await readFile(join(folder, name));
      assert.deepEqual(brotliDecompressSync(await readFile(join(folder, `${name}.br`))), contents);
      assert.deepEqual(gunzipSync(await readFile(join(folder, `${name}.gz`))), contents);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
