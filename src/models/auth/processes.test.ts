/** Two real processes on one auth.json: no mark is lost, and a login is renewed once. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import type { AuthData } from "../../contracts/auth.ts";

const childPath = join(import.meta.dirname, "../../../test/fakes/auth-child.ts");

async function createFolder(t: TestContext, profiles: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mom-two-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "auth.json");
  await writeFile(path, JSON.stringify({ profiles }), { mode: 0o600 });
  return path;
}

const runChild = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [childPath, ...args])).stdout.trim().split("\n");
const read = async (path: string): Promise<AuthData> => JSON.parse(await readFile(path, "utf8"));

test("marks of both are kept while they rotate the same profiles", async (t) => {
  const path = await createFolder(t, {
    "p:a": { type: "api_key", provider: "p", key: "ka" },
    "p:b": { type: "api_key", provider: "p", key: "kb" },
  });
  const models = (prefix: string) => Array.from({ length: 8 }, (_, n) => `${prefix}${n}`);
  const answers = await Promise.all([
    runChild("rotate", path, ...models("x")),
    runChild("rotate", path, ...models("y")),
  ]);
  assert.deepEqual(new Set(answers.flat()), new Set(["p:b"]), "p:a is limited with every model, p:b answers");
  const stats = (await read(path)).usageStats["p:a"];
  assert.deepEqual(Object.keys(stats?.models ?? {}).sort(), [...models("x"), ...models("y")]);
  assert.equal(stats?.failureCounts?.rate_limit, 16);
});

test("a login is renewed by one of them, and the other finds it fresh", async (t) => {
  let asked = 0;
  const endpoint = createServer((request, response) => {
    asked++;
    request.resume().on("end", () => response.end(JSON.stringify({ access: "new", expires: 4e12 })));
  });
  endpoint.listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  t.after(() => endpoint.close());
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`;
  const path = await createFolder(t, {
    "p:me": { type: "oauth", provider: "p", access: "old", refresh: "once", expires: 1 },
  });
  const seen = await Promise.all([runChild("login", path, url), runChild("login", path, url)]);
  assert.deepEqual(seen, [["new"], ["new"]]);
  assert.equal(asked, 1);
  assert.equal(Object((await read(path)).profiles["p:me"]).access, "new");
});
