/** A real server on loopback that does what a platform's file server may do, and worse. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createChannelDeps } from "../../../test/fakes/channel-deps.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { Clock } from "../../contracts/clock.ts";
import { type DownloadRequest, downloadFile } from "./download-file.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, answers: Record<string, Answer>) {
  const seen: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? "", authorization: request.headers.authorization });
    (answers[request.url ?? ""] ?? ((_, missing) => missing.writeHead(404).end()))(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function createStage(t: TestContext, clock: Clock = createSystemClock()) {
  const deps = createChannelDeps({ clock });
  t.after(deps.dispose);
  const download = (request: Partial<DownloadRequest> & { url: string }) =>
    downloadFile(
      { filename: "report.pdf", maxBytes: 1_000, timeoutMs: 60_000, ...request },
      { clock, save: (file) => deps.saveAttachment("C1", file) },
    );
  return { deps, download, kept: () => readdir(deps.dir).catch(() => []) };
}

const give =
  (body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(200, headers).end(body);
const redirect =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end("elsewhere");

test("a file is fetched and kept, with the header that it needs", async (t) => {
  const { url, seen } = await serve(t, { "/f": give("content", { "content-type": "application/pdf; x=y" }) });
  const { deps, download } = createStage(t);
  const result = await download({ url: `${url}/f`, headers: { authorization: "Bearer t" } });
  assert.ok(result.type === "saved");
  const { localPath, ...rest } = result.attachment;
  assert.deepEqual(rest, { filename: "report.pdf", size: 7, mimeType: "application/pdf" });
  assert.equal(await readFile(join(deps.dir, localPath), "utf8"), "content");
  assert.deepEqual(seen, [{ path: "/f", authorization: "Bearer t" }]);
});

test("the token goes only to the server that it is for", async (t) => {
  const other = await serve(t, { "/cdn": give("content") });
  const own = await serve(t, { "/f": redirect("/g", 307), "/g": redirect(`${other.url}/cdn`) });
  const { download } = createStage(t);
  const result = await download({ url: `${own.url}/f`, headers: { authorization: "Bearer t" } });
  assert.equal(result.type, "saved");
  assert.deepEqual(
    own.seen.map(({ authorization }) => authorization),
    ["Bearer t", "Bearer t"],
  );
  assert.deepEqual(other.seen, [{ path: "/cdn", authorization: undefined }]);
});

test("redirects end after five, and never lead to an unsafe address", async (t) => {
  const steps = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`/${n}`, redirect(`/${n + 1}`)]));
  const { url, seen } = await serve(t, {
    ...steps,
    "/6": give("x"),
    "/round": redirect("/round"),
    "/plain": redirect("http://files.example/x"),
    "/disk": redirect("file:///etc/passwd"),
    "/password": redirect("https://a:b@files.example/"),
  });
  const { download, kept } = createStage(t);
  assert.equal((await download({ url: `${url}/1` })).type, "saved");
  seen.length = 0;
  const round = await download({ url: `${url}/round` });
  assert.deepEqual(round, {
    type: "failed",
    note: '(file "report.pdf": it was redirected more than 5 times, not fetched)',
  });
  assert.equal(seen.length, 6);
  for (const path of ["/plain", "/disk", "/password"]) {
    const result = await download({ url: url + path });
    assert.ok(result.type === "failed" && /address is not safe/.test(result.note), path);
  }
  assert.equal((await kept()).length, 1);
});

test("a platform cannot send mom to this machine", async (t) => {
  const { url, seen } = await serve(t, { "/secret": give("x") });
  const { download } = createStage(t);
  const fetchBefore = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = fetchBefore;
  });
  // Stands for a server out there, which a test cannot have.
  globalThis.fetch = async (input, init) =>
    String(input).startsWith("https://files.example/")
      ? new Response(null, { status: 302, headers: { location: `${url}/secret` } })
      : fetchBefore(input, init);
  const result = await download({ url: "https://files.example/f" });
  assert.deepEqual(result, {
    type: "failed",
    note: '(file "report.pdf": its address leads to this machine, not fetched)',
  });
  assert.deepEqual(seen, []);
});

test("addresses that are none, or not encrypted, are not asked", async (t) => {
  const { download } = createStage(t);
  for (const url of [
    "",
    "nope",
    "http://files.example/x",
    "ftp://127.0.0.1/",
    "ws://127.0.0.1/",
    "file:///etc/passwd",
  ]) {
    const result = await download({ url });
    assert.ok(result.type === "failed" && /address is not safe/.test(result.note), url);
  }
});

test("what is too large is left, whether it says so before, says so, or lies", async (t) => {
  const big = "x".repeat(1_001);
  const { url, seen } = await serve(t, {
    "/honest": give(big, { "content-length": "1001" }),
    "/silent": (_, response) => {
      response.writeHead(200);
      for (let n = 0; n < 100; n++) response.write("x".repeat(100));
      response.end();
    },
  });
  const { download, kept } = createStage(t);
  assert.deepEqual(await download({ url: `${url}/honest`, size: 30_000_000 }), {
    type: "failed",
    note: '(file "report.pdf", 28.6 MiB: larger than 1000 B, not fetched)',
  });
  assert.equal(seen.length, 0, "not even asked for");
  for (const path of ["/honest", "/silent"]) {
    const result = await download({ url: url + path, size: 10 });
    assert.deepEqual(result, { type: "failed", note: '(file "report.pdf", 10 B: larger than 1000 B, not fetched)' });
  }
  assert.deepEqual(await kept(), []);
});

test("the limit holds also where the store does not count, and what is too large is not begun with", async (t) => {
  const { url } = await serve(t, {
    "/honest": give("x".repeat(1_001), { "content-length": "1001" }),
    "/silent": (_, response) => {
      for (let n = 0; n < 100; n++) response.write("x".repeat(100));
      response.end();
    },
  });
  const sizes: number[] = [];
  const save: Parameters<typeof downloadFile>[1]["save"] = async ({ data }) => {
    const at = sizes.push(0) - 1;
    for await (const chunk of data) sizes[at] = (sizes[at] ?? 0) + chunk.length;
    return { filename: "f", localPath: "f" };
  };
  for (const path of ["/honest", "/silent"]) {
    const request = { url: url + path, filename: "f", maxBytes: 1_000, timeoutMs: 60_000 };
    assert.equal((await downloadFile(request, { clock: createSystemClock(), save })).type, "failed");
  }
  assert.equal(sizes.length, 1, "only the silent one was begun with");
  assert.ok((sizes[0] ?? 0) <= 1_000);
});

test("a store that counts for itself is understood", async (t) => {
  const { url } = await serve(t, { "/f": give("12345") });
  const { deps } = createStage(t);
  const request = { url: `${url}/f`, filename: "f", maxBytes: 1_000, timeoutMs: 60_000 };
  const small = (file: Parameters<typeof deps.saveAttachment>[1]) => deps.saveAttachment("C", { ...file, maxBytes: 4 });
  const result = await downloadFile(request, { clock: deps.clock, save: small });
  assert.deepEqual(result, { type: "failed", note: '(file "f": larger than 1000 B, not fetched)' });
});

test("a login page is not taken for the file", async (t) => {
  const { url } = await serve(t, { "/f": give("<form>", { "content-type": "text/html; charset=utf-8" }) });
  const { download, kept } = createStage(t);
  for (const request of [{ mimeType: "application/pdf" }, {}, { mimeType: "text/plain", filename: "a.html" }]) {
    const result = await download({ url: `${url}/f`, ...request });
    assert.ok(result.type === "failed" && /a web page came instead/.test(result.note));
  }
  assert.deepEqual(await kept(), []);
  for (const request of [{ mimeType: "text/html" }, { filename: "a.HTML" }]) {
    assert.equal((await download({ url: `${url}/f`, ...request })).type, "saved");
  }
});

test("a server that is busy is asked again, one that refuses is not", async (t) => {
  let tries = 0;
  const { url, seen } = await serve(t, {
    "/busy": (_, response) => response.writeHead(++tries < 3 ? 503 : 200).end("content"),
    "/cut": (request) => request.socket.destroy(),
    "/no": (_, response) => response.writeHead(403).end(),
  });
  const clock = createFakeClock();
  const { download, kept } = createStage(t, clock);
  const pass = async <T>(result: Promise<T>) => {
    let isDone = false;
    void result.finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(100);
    return result;
  };
  assert.equal((await pass(download({ url: `${url}/busy` }))).type, "saved");
  assert.equal(tries, 3);
  const cut = await pass(download({ url: `${url}/cut` }));
  assert.deepEqual(cut, { type: "failed", note: '(file "report.pdf": the connection failed, not fetched)' });
  assert.equal(seen.filter(({ path }) => path === "/cut").length, 3);
  const no = await pass(download({ url: `${url}/no` }));
  assert.ok(no.type === "failed" && /status 403/.test(no.note));
  assert.equal(seen.filter(({ path }) => path === "/no").length, 1);
  assert.equal((await kept()).length, 1);
  assert.equal(clock.pending, 0);
});

test("a file that breaks off is fetched from its start, never kept in part", async (t) => {
  let tries = 0;
  const { url } = await serve(t, {
    "/f": (request, response) => {
      response.writeHead(200, { "content-length": "7" });
      if (++tries < 2) response.write("con", () => request.socket.destroy());
      else response.end("content");
    },
  });
  const { download, deps, kept } = createStage(t);
  const result = await download({ url: `${url}/f` });
  assert.ok(result.type === "saved");
  assert.equal(await readFile(join(deps.dir, result.attachment.localPath), "utf8"), "content");
  assert.equal((await kept()).length, 1);
});

for (const [what, head] of [
  ["never answers", false],
  ["never ends", true],
] as const) {
  test(`a server that ${what} is left after the time that it has`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const { url } = await serve(t, {
      "/f": (_, response) => {
        if (head) response.writeHead(200).write("con");
        asked.resolve();
      },
    });
    const clock = createFakeClock();
    const { download, kept } = createStage(t, clock);
    const result = download({ url: `${url}/f`, timeoutMs: 30_000 });
    await asked.promise;
    await clock.advance(30_000);
    assert.deepEqual(await result, {
      type: "failed",
      note: '(file "report.pdf": it took longer than 30 s, not fetched)',
    });
    assert.deepEqual(await kept(), []);
    assert.equal(clock.pending, 0);
  });
}

test("it can be stopped", async (t) => {
  const stop = new AbortController();
  const { url } = await serve(t, { "/f": () => stop.abort(new Error("mom is being stopped")) });
  const { download } = createStage(t);
  const result = await download({ url: `${url}/f`, signal: stop.signal });
  assert.deepEqual(result, { type: "failed", note: '(file "report.pdf": mom is being stopped, not fetched)' });
});

test("a name cannot break out of its note", async (t) => {
  const { download } = createStage(t);
  const result = await download({ url: "", filename: `a\n(b)\x1b[2J${"x".repeat(500)}` });
  assert.ok(result.type === "failed");
  assert.match(result.note, /^\(file "a \(b\)x{115}": its address is not safe, not fetched\)$/);
});

test("a full disk is waited for: it costs neither the file nor the message", async (t) => {
  const { url } = await serve(t, { "/f": give("content") });
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const clock = createFakeClock();
  let tries = 0;
  const saved = { filename: "f", localPath: "f" };
  const downloaded = downloadFile(
    { url: `${url}/f`, filename: "f", maxBytes: 1_000, timeoutMs: 60_000 },
    { clock, save: async () => (++tries < 3 ? Promise.reject(full) : saved) },
  );
  await t.waitFor(
    async () => {
      await clock.advance(5_000);
      assert.equal(tries, 3);
    },
    { interval: 1 },
  );
  assert.deepEqual(await downloaded, { type: "saved", attachment: saved });
});
