/** The built UI over real HTTP: what is served, as what, and what never is. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createGatewayRig } from "../../../test/fakes/gateway-rig.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";

async function openUi(t: TestContext) {
  const folder = await createTempFolder(t);
  await folder.put("secret.txt", "secret");
  await folder.put("secret.js", "secret");
  await folder.put("web/index.html", "<!doctype html>");
  await folder.put("web/icon.svg", "<svg/>");
  await folder.put("web/assets/app-1a2b.js", "let a;");
  await folder.put("web/assets/app-1a2b.js.br", "brotli");
  await folder.put("web/assets/app-1a2b.js.gz", "gzip");
  await folder.put("web/assets/style-3c.css", "a{}");
  await folder.put("web/assets/style-3c.css.gz", "gzip");
  await folder.put("web/.hidden.js", "hidden");
  await folder.put("web/tool.exe", "binary");
  await symlink(join(folder.dir, "secret.js"), join(folder.dir, "web/link.js"));
  await symlink(folder.dir, join(folder.dir, "web/up"));
  const uiDir = join(folder.dir, "web");
  return createGatewayRig(t, { uiDir });
}

test("the page is served under a strict policy and is kept by nobody", async (t) => {
  const rig = await openUi(t);
  for (const path of ["/", "/index.html"]) {
    const { status, headers, body } = await rig.ask(path);
    assert.equal(status, 200);
    assert.equal(String(body), "<!doctype html>");
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["set-cookie"], undefined);
  }
});

test("assets are kept for good and come in the smallest form that is there", async (t) => {
  const rig = await openUi(t);
  const get = async (path: string, accept?: string) => {
    const { headers, body } = await rig.ask(
      path,
      accept === undefined ? {} : { headers: { "accept-encoding": accept } },
    );
    assert.equal(headers.vary, "Accept-Encoding");
    return [String(body), headers["content-encoding"], headers["content-type"], headers["cache-control"]];
  };
  const immutable = "public, max-age=31536000, immutable";
  const [script, style] = ["text/javascript; charset=utf-8", "text/css; charset=utf-8"];
  const app = "/assets/app-1a2b.js";
  assert.deepEqual(await get(app), ["let a;", undefined, script, immutable]);
  assert.deepEqual(await get(app, "gzip, deflate, br"), ["brotli", "br", script, immutable]);
  assert.deepEqual(await get(app, "gzip, br;q=0"), ["gzip", "gzip", script, immutable]);
  assert.deepEqual(await get(app, "identity, brr"), ["let a;", undefined, script, immutable]);
  assert.deepEqual(await get("/assets/style-3c.css", "br, gzip"), ["gzip", "gzip", style, immutable]);
  assert.deepEqual((await get("/icon.svg")).slice(2), ["image/svg+xml", "no-cache"]);
});

test("HEAD has the headers and no body", async (t) => {
  const rig = await openUi(t);
  const { status, headers, body } = await rig.ask("/", { method: "HEAD" });
  assert.deepEqual([status, headers["content-length"], body.length], [200, "15", 0]);
});

test("nothing outside the folder, nothing hidden, nothing of unknown kind", async (t) => {
  const rig = await openUi(t);
  const refused = [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.js",
    "/assets/..%5c..%5csecret.js",
    "//etc/passwd",
    "/link.js",
    "/up/secret.js",
    "/.hidden.js",
    "/tool.exe",
    "/assets",
    "/assets/",
    "/assets/app-1a2b.js.br",
    "/nothing.js",
    `/${"a".repeat(5_000)}.js`,
    "/index.html/x.js",
    "/index.html%00.js",
  ];
  for (const path of refused) {
    const { status, body } = await rig.ask(path);
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.ok(!body.includes("secret") && !body.includes("hidden"), path);
  }
  assert.equal((await rig.ask("/", { method: "POST", body: "x" })).status, 404);
});

test("without a built UI the page says so", async (t) => {
  const rig = await createGatewayRig(t);
  const { status, body } = await rig.ask("/");
  assert.equal(status, 404);
  assert.match(String(body), /npm run build/);
});
