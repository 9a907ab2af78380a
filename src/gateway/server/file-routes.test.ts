/** Files over HTTP: tickets, sizes, pace, and what a browser is told to do with them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createDevice, createGatewayRig, enterAs, type GatewayRig } from "../../../test/fakes/gateway-rig.ts";
import type { DeliveryId } from "../../contracts/ids.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/** Node's own timers must not be what ends a connection here. */
const httpTimes = { headersTimeoutMs: 1e6, checkEveryMs: 1e6, keepAliveMs: 1e6 };

async function openRig(t: TestContext) {
  const rig = await createGatewayRig(t, { httpTimes });
  const workspace = rig.house.house.workspaceDir;
  const put = async (path: string, data: string | Uint8Array) => {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), data);
  };
  await mkdir(workspace, { recursive: true });
  return { ...rig, workspace, put, client: await rig.enter() };
}
const listUploads = async ({ house }: GatewayRig) => {
  const folder = join(
    house.house.workspaceDir,
    house.store.channels.folder({ adapter: "webchat", channelId: "main" }),
    "attachments",
  );
  return readdir(folder).catch(() => []);
};
const upload = (client: { call: Awaited<ReturnType<GatewayRig["enter"]>>["call"] }, size: number, more: object = {}) =>
  client.call("files.upload", { filename: "../a b.txt", size, ...more });

test("a file that is uploaded goes with the message that names it, once", async (t) => {
  const rig = await openRig(t);
  const { uploadId, url } = (await upload(rig.client, 5, { mimeType: "text/plain" })).result;
  assert.match(url, /^\/files\/[\w-]{43}$/);
  const early = await rig.client.call("chat.send", { uploads: [uploadId], idempotencyKey: "key-0000" });
  assert.ok(early.error);
  const put = await rig.ask(url, { method: "PUT", body: "hello" });
  assert.deepEqual([put.status, JSON.parse(String(put.body))], [201, { uploadId }]);
  assert.equal((await rig.ask(url, { method: "PUT", body: "again" })).status, 404);
  assert.equal((await rig.ask(url)).status, 404);
  const sent = await rig.client.call("chat.send", { uploads: [uploadId], idempotencyKey: "key-0001" });
  assert.ok(sent.result);
  const [attachment] = rig.house.said[0]?.attachments ?? [];
  assert.equal(attachment?.filename, "../a b.txt");
  assert.equal(await readFile(join(rig.workspace, attachment?.localPath ?? ""), "utf8"), "hello");
  const again = await rig.client.call("chat.send", { uploads: [uploadId], idempotencyKey: "key-0002" });
  assert.ok(again.error);
});

test("without a ticket nothing of a body is read", async (t) => {
  const rig = await openRig(t);
  const socket = await rig.connect();
  socket.write(`PUT /files/${"A".repeat(43)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n`);
  const [data] = await once(socket, "data");
  assert.match(String(data), /^HTTP\/1\.1 404 /);
  // What goes on coming is not waited for.
  const closed = once(socket, "close");
  await rig.clock.advance(1_000);
  await closed;
});

test("another size than the announced one is refused, whichever way it is told", async (t) => {
  const rig = await openRig(t);
  for (const body of ["1234", "123456"]) {
    const { url } = (await upload(rig.client, 5)).result;
    assert.equal((await rig.ask(url, { method: "PUT", body })).status, 400);
    const chunked = { method: "PUT", body, headers: { "transfer-encoding": "chunked" } };
    assert.equal((await rig.ask(url, chunked)).status, body.length > 5 ? 413 : 400);
  }
  assert.deepEqual(await listUploads(rig), []);
});

test("an upload that breaks off can be made again, and leaves nothing behind", async (t) => {
  const rig = await openRig(t);
  const { url } = (await upload(rig.client, 5)).result;
  const socket = await rig.connect();
  socket.write(`PUT ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`);
  const [data] = await once(socket, "data");
  assert.match(String(data), /^HTTP\/1\.1 100 /);
  socket.write("123");
  assert.equal((await rig.ask(url, { method: "PUT", body: "12345" })).status, 404);
  socket.destroy();
  let status = 404;
  while (status === 404) status = (await rig.ask(url, { method: "PUT", body: "12345" })).status;
  assert.equal(status, 201);
  assert.equal((await listUploads(rig)).length, 1);
});

test("an upload that drips is cut off, one that comes steadily is not", async (t) => {
  const rig = await openRig(t);
  const begin = async (size: number) => {
    const { url } = (await upload(rig.client, size)).result;
    const socket = await rig.connect();
    socket.write(`PUT ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, "data");
    return socket;
  };
  const [drip, steady] = [await begin(1_000_000), await begin(40_000)];
  const dripped = once(drip, "data");
  drip.write("x".repeat(10_000));
  steady.write("x".repeat(20_000));
  // Both have been read when something that was sent later has been answered.
  await rig.ask("/healthz");
  await rig.clock.advance(30_000);
  assert.match(String((await dripped)[0]), /^HTTP\/1\.1 408 /);
  const done = once(steady, "data");
  steady.write("x".repeat(20_000));
  assert.match(String((await done)[0]), /^HTTP\/1\.1 201 /);
});

test("uploads are for their owner only, bounded, and removed when nobody takes them", async (t) => {
  const rig = await openRig(t);
  const code = (await rig.client.call("device-pair.code", { scopes: ["read", "write"] })).result.code;
  const other = await enterAs(rig, createDevice(), { code });
  const { uploadId, url } = (await upload(rig.client, 5)).result;
  await rig.ask(url, { method: "PUT", body: "hello" });
  const stolen = await other.call("chat.send", { uploads: [uploadId], idempotencyKey: "key-0001" });
  assert.ok(stolen.error);
  assert.equal((await listUploads(rig)).length, 1);
  assert.equal((await upload(rig.client, 100 * 1024 * 1024 + 1)).error.code, "INVALID_REQUEST");
  for (let n = 0; n < 5; n++) assert.ok((await upload(rig.client, 100 * 1024 * 1024)).result);
  assert.equal((await upload(rig.client, 100 * 1024 * 1024)).error.code, "UNAVAILABLE");
  await rig.clock.advance(3_600_000);
  while ((await listUploads(rig)).length > 0) await new Promise(setImmediate);
  // The hour has ended the connection, too.
  assert.ok((await upload(await rig.enter(), 100 * 1024 * 1024)).result);
});

test("a ticket for an upload is good for ten minutes", async (t) => {
  const rig = await openRig(t);
  const { url } = (await upload(rig.client, 5)).result;
  await rig.clock.advance(600_000);
  assert.equal((await rig.ask(url, { method: "PUT", body: "hello" })).status, 404);
});

test("files of the workspace are served by ticket, images in place, all else to be saved", async (t) => {
  const rig = await openRig(t);
  await rig.put('notes/ä "x".html', "<script>alert(1)</script>");
  await rig.put("pic.txt", png);
  await rig.put("fake.png", "<svg onload=alert(1)>");
  const open = async (path: string) => {
    const { result } = await rig.client.call("files.open", { path });
    return { result, ...(await rig.ask(result.url)) };
  };
  const page = await open('notes/ä "x".html');
  assert.equal(String(page.body), "<script>alert(1)</script>");
  assert.equal(page.headers["content-type"], "application/octet-stream");
  assert.equal(
    page.headers["content-disposition"],
    "attachment; filename=\"_ _x_.html\"; filename*=UTF-8''%C3%A4%20%22x%22.html",
  );
  assert.equal(page.headers["content-security-policy"], "sandbox; default-src 'none'; frame-ancestors 'none'");
  assert.equal(page.headers["x-content-type-options"], "nosniff");
  assert.equal(page.headers["cross-origin-resource-policy"], "same-origin");
  const picture = await open("pic.txt");
  assert.deepEqual([picture.result.mimeType, picture.headers["content-type"]], ["image/png", "image/png"]);
  assert.match(picture.headers["content-disposition"] ?? "", /^inline;/);
  const fake = await open("fake.png");
  assert.match(fake.headers["content-disposition"] ?? "", /^attachment;/);
  assert.equal(fake.headers["content-type"], "application/octet-stream");
});

test("ranges are served for players", async (t) => {
  const rig = await openRig(t);
  await rig.put("a.mp3", "0123456789");
  const { result } = await rig.client.call("files.open", { path: "a.mp3" });
  const get = async (range: string) => {
    const { status, headers, body } = await rig.ask(result.url, { headers: { range } });
    return [status, String(body), headers["content-range"]];
  };
  assert.deepEqual(await get("bytes=2-4"), [206, "234", "bytes 2-4/10"]);
  assert.deepEqual(await get("bytes=8-"), [206, "89", "bytes 8-9/10"]);
  assert.deepEqual(await get("bytes=-3"), [206, "789", "bytes 7-9/10"]);
  assert.deepEqual(await get("bytes=20-30"), [200, "0123456789", undefined]);
  assert.deepEqual(await get("bytes=0-1,3-4"), [200, "0123456789", undefined]);
});

test("no way leads out of the workspace, and a ticket is good for ten minutes", async (t) => {
  const rig = await openRig(t);
  await rig.put("fine.txt", "fine");
  await symlink(join(rig.stateDir, "gateway-token"), join(rig.workspace, "link.txt"));
  await symlink(rig.stateDir, join(rig.workspace, "folder"));
  for (const path of [
    "../state/gateway-token",
    "link.txt",
    "folder/gateway-token",
    "/etc/passwd",
    "nothing",
    ".",
    "a\0b",
  ]) {
    const { error } = await rig.client.call("files.open", { path });
    assert.equal(error?.code, "NOT_FOUND", path);
  }
  const { result } = await rig.client.call("files.open", { path: "fine.txt" });
  assert.equal((await rig.ask(result.url)).status, 200);
  await rig.clock.advance(600_000);
  assert.equal((await rig.ask(result.url)).status, 404);
});

test("a link that takes a file's place after the ticket was given is not followed", async (t) => {
  const rig = await openRig(t);
  await rig.put("d/a.txt", "fine");
  const { result } = await rig.client.call("files.open", { path: "d/a.txt" });
  await rename(join(rig.workspace, "d"), join(rig.workspace, "e"));
  await symlink(rig.stateDir, join(rig.workspace, "d"));
  await writeFile(join(rig.stateDir, "a.txt"), "secret");
  assert.equal((await rig.ask(result.url)).status, 404);
});

test("a posted file is served once it was sent, and not when a link has taken its place", async (t) => {
  const rig = await openRig(t);
  await rig.put("d/report.txt", "report");
  const id = "post-1" as DeliveryId;
  const channel = { adapter: "webchat", channelId: "main" };
  const body = {
    type: "file",
    path: join(rig.workspace, "d/report.txt"),
    filename: "report.txt",
    isReal: true,
  } as const;
  await rig.house.store.outbox.post([{ id, channel, body }]);
  assert.equal((await rig.client.call("files.open", { deliveryId: id })).error.code, "NOT_FOUND");
  await rig.house.turns.deliver();
  const { result } = await rig.client.call("files.open", { deliveryId: id });
  assert.equal(String((await rig.ask(result.url)).body), "report");
  assert.equal((await rig.client.call("files.open", { deliveryId: "other" })).error.code, "NOT_FOUND");
  await writeFile(join(rig.stateDir, "report.txt"), "secret");
  await rename(join(rig.workspace, "d"), join(rig.workspace, "e"));
  await symlink(rig.stateDir, join(rig.workspace, "d"));
  assert.equal((await rig.ask(result.url)).status, 404);
});

test("who stops reading a file is cut off", async (t) => {
  const rig = await openRig(t);
  await rig.put("big.bin", Buffer.alloc(16 * 1024 * 1024));
  const { result } = await rig.client.call("files.open", { path: "big.bin" });
  const socket = await rig.connect();
  socket.pause();
  const closed = once(socket, "close");
  socket.write(`GET ${result.url} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const before = rig.clock.pending;
  while (rig.clock.pending === before) await new Promise(setImmediate);
  await rig.clock.advance(30_000);
  socket.resume();
  await closed;
  assert.ok(socket.bytesRead < 16 * 1024 * 1024);
});

test("an upload goes into the session that it was made for, and with the others or not at all", async (t) => {
  const rig = await openRig(t);
  const ids: string[] = [];
  for (const body of ["first", "other"]) {
    const { uploadId, url } = (await upload(rig.client, 5)).result;
    await rig.ask(url, { method: "PUT", body });
    ids.push(uploadId);
  }
  const send = (uploads: unknown[], n: number, more: object = {}) =>
    rig.client.call("chat.send", { uploads, idempotencyKey: `key-000${n}`, ...more });
  const elsewhere = await send(ids, 1, { sessionKey: "agent:helper:main" });
  assert.equal(elsewhere.error.code, "NOT_FOUND");
  const unsent = (await upload(rig.client, 5)).result.uploadId;
  assert.equal((await send([...ids, unsent], 2)).error.code, "NOT_FOUND");
  assert.equal((await send([...ids, ids[0]], 3)).error, undefined);
  assert.deepEqual(
    rig.house.said.map(({ attachments }) => attachments.length),
    [2],
  );
});

test("addresses of files end with the trust in whom they were given to", async (t) => {
  const rig = await openRig(t);
  await rig.put("a.txt", "hello");
  const code = (await rig.client.call("device-pair.code", { scopes: ["read"] })).result.code;
  const device = createDevice();
  const other = await enterAs(rig, device, { code });
  const theirs = (await other.call("files.open", { path: "a.txt" })).result.url;
  const mine = (await rig.client.call("files.open", { path: "a.txt" })).result.url;
  assert.equal((await rig.ask(theirs)).status, 200);
  assert.ok((await rig.client.call("device-pair.revoke", { deviceId: device.id })).result);
  assert.equal((await rig.ask(theirs)).status, 404);
  assert.equal((await rig.ask(mine)).status, 200);
});

test("a file with a second name is not served: that may lie outside", async (t) => {
  const rig = await openRig(t);
  await rig.put("a.txt", "hello");
  const { result } = await rig.client.call("files.open", { path: "a.txt" });
  await writeFile(join(rig.stateDir, "secret"), "secret");
  await link(join(rig.stateDir, "secret"), join(rig.workspace, "b.txt"));
  assert.equal((await rig.client.call("files.open", { path: "b.txt" })).error.code, "NOT_FOUND");
  await rename(join(rig.workspace, "b.txt"), join(rig.workspace, "a.txt"));
  assert.equal((await rig.ask(result.url)).status, 404, "also where it came after the address was given");
});
