/**
 * What a hostile page tries in order to reach addresses that are closed to it. Everything stays on loopback: the servers
 * that must not be reached only write down that they were, and a twin without the guard shows that they would be.
 */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { after, before, describe, it } from "node:test";
import { type BrowserSite, createBrowserSite } from "../../../test/fakes/browser-site.ts";
import { type BrowserStage, createBrowserStage, noChromium } from "../../../test/fakes/browser-stage.ts";

/** Each gets the secret server's `host:port` and leaves `tried` in the page's title. */
const attempts: Record<string, (secret: string) => string> = {
  picture: (secret) => `const i = new Image(); i.onload = i.onerror = done; i.src = "http://${secret}/picture"`,
  script: (secret) =>
    `const s = document.createElement("script"); s.onload = s.onerror = done; s.src = "http://${secret}/script"; document.body.append(s)`,
  fetch: (secret) => `fetch("http://${secret}/fetch", { mode: "no-cors" }).then(done, done)`,
  "redirected-fetch": (secret) => `fetch("/to?http://${secret}/redirected", { mode: "no-cors" }).then(done, done)`,
  "web-socket": (secret) => `const w = new WebSocket("ws://${secret}/socket"); w.onopen = w.onerror = done`,
  "event-source": (secret) => `const e = new EventSource("http://${secret}/events"); e.onopen = e.onerror = done`,
  beacon: (secret) => `navigator.sendBeacon("http://${secret}/beacon", "x"); setTimeout(done, 200)`,
  frame: (secret) =>
    `const f = document.createElement("iframe"); f.onload = done; f.src = "http://${secret}/frame"; document.body.append(f)`,
  worker: (secret) =>
    `const w = new Worker(URL.createObjectURL(new Blob(['fetch("http://${secret}/worker", { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(1))']))); w.onmessage = done`,
};
const attackPage = (script: string) =>
  `<!doctype html><title>trying</title><body><script>const done = () => { document.title = "tried" };${script}</script>`;

describe("a page that wants to reach closed addresses", { skip: noChromium }, () => {
  let site: BrowserSite;
  let secret: BrowserSite;
  let stage: BrowserStage;
  let base = "";
  const asked: string[] = [];
  let rebinding = "127.0.0.1";

  before(async () => {
    secret = await createBrowserSite({});
    const toSecret = (host: string) =>
      Object.fromEntries(
        Object.entries(attempts).map(([name, build]) => [
          `/${host}/${name}`,
          attackPage(build(`${host}:${secret.port}`)),
        ]),
      );
    site = await createBrowserSite({
      "/": "<title>Fine</title><p>fine</p>",
      ...toSecret("127.0.0.1"),
      ...toSecret("open.test"),
      "/to": (request, response) => {
        response.writeHead(302, {
          location: decodeURI(request.url?.split("?")[1] ?? ""),
          "access-control-allow-origin": "*",
        });
        response.end();
      },
      "/links": `<a href="http://127.0.0.1:${secret.port}/link">inside</a> <a href="/to?http://10.0.0.7/x">onward</a> <a href="file:///etc/passwd">file</a>
        <button onclick="location='file:///etc/passwd'">jump</button><button onclick="location='view-source:'+location">source</button>
        <form method=post action="http://localhost:${secret.port}/form"><button>send</button></form>`,
    });
    base = `http://site.test:${site.port}`;
    stage = await createBrowserStage({
      // The twin: the same server under a name that the operator permits.
      allow: [
        `site.test:${site.port}`,
        `localhost:${site.port}`,
        `open.test:${secret.port}`,
        `rebind.test:${site.port}`,
      ],
      resolve: async (name) => {
        asked.push(name);
        return [{ address: name === "rebind.test" ? rebinding : "127.0.0.1", family: 4 }];
      },
    });
  });
  after(async () => {
    await stage.close();
    await site.close();
    await secret.close();
  });

  for (const name of Object.keys(attempts)) {
    it(`is held back: ${name}`, async () => {
      const attempt = async (host: string) => {
        secret.requests.length = 0;
        const opened = await stage.say({ action: "open", url: `${base}/${host}/${name}` });
        assert.match(opened, /Page: (trying|tried)/);
        await stage.browser.of("main").peek("a")?.current?.waitForFunction("document.title === 'tried'");
        return secret.requests.length;
      };
      assert.equal(await attempt("127.0.0.1"), 0);
      assert.ok((await attempt("open.test")) > 0, "the twin that is permitted must arrive, or the test proves nothing");
    });
  }

  it("does not get there by a redirect, a link or a form", async () => {
    secret.requests.length = 0;
    const refused = { code: "ADDRESS_REFUSED" };
    const inside = `http://127.0.0.1:${secret.port}/`;
    await assert.rejects(stage.run({ action: "open", url: `${base}/to?${inside}` }), refused);
    await assert.rejects(
      stage.run({ action: "open", url: `${base}/to?http://open.test:${secret.port === 80 ? 81 : 80}/` }),
      refused,
    );
    await assert.rejects(stage.run({ action: "open", url: `${base}/to?https://127.0.0.1:${secret.port}/` }), refused);
    for (const name of [`link "inside"`, `link "onward"`, `button "send"`]) {
      await stage.run({ action: "open", url: `${base}/links` });
      await assert.rejects(stage.run({ action: "click", ref: await stage.refOf(name) }), refused, name);
    }
    assert.deepEqual(secret.requests, []);
    assert.match(await stage.say({ action: "open", url: `http://open.test:${secret.port}/` }), /Not found/, "the twin");
  });

  it("is not opened at a closed address in the first place, and no browser is needed for that", async () => {
    const addresses = [
      `http://127.0.0.1:${site.port}/`,
      `http://localhost:${secret.port}/`,
      "http://169.254.169.254/latest/meta-data",
      "http://[::1]/",
      "file:///etc/passwd",
      "chrome://settings",
      "view-source:http://example.com/",
      "javascript:alert(1)",
      "http://user:pass@site.test/",
    ];
    for (const url of addresses) {
      await assert.rejects(stage.run({ action: "open", url }, "nobody"), { code: "ADDRESS_REFUSED" }, url);
    }
    assert.equal(stage.browser.of("main").peek("nobody"), undefined);
  });

  it("does not get to files and inner pages of the browser", async () => {
    for (const name of [`link "file"`, `button "jump"`, `button "source"`]) {
      await stage.run({ action: "open", url: `${base}/links` });
      const text = await stage
        .say({ action: "click", ref: await stage.refOf(name) })
        .catch((error: Error) => error.message);
      assert.doesNotMatch(text, /root:|view-source:/, name);
      assert.doesNotMatch(
        stage.browser.of("main").peek("a")?.current?.url() ?? "",
        /^(file|view-source|chrome):/,
        name,
      );
    }
    const page = await stage.browser.of("main").peek("a")?.open();
    await assert.rejects(page?.goto("file:///etc/passwd") ?? Promise.resolve(), /ERR_BLOCKED_BY_CLIENT/);
    await stage.run({ action: "close", all: true });
  });

  it("cannot use a name that changes its address", async () => {
    const url = `http://rebind.test:${site.port}/`;
    assert.match(await stage.say({ action: "open", url }), /fine/);
    rebinding = "169.254.169.254";
    await assert.rejects(stage.run({ action: "reload" }), { code: "ADDRESS_REFUSED" });
    await assert.rejects(stage.run({ action: "open", url }), { code: "ADDRESS_REFUSED" });
  });

  it("sends no packet past the proxy: web calls, transports, name look-ups", async () => {
    const packets: number[] = [];
    const udp = createSocket("udp4").on("message", ({ length }) => packets.push(length));
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const { port } = udp.address();
    // Only a safe origin may use all of these.
    await stage.run({ action: "open", url: `http://localhost:${site.port}/` });
    const page = stage.browser.of("main").peek("a")?.current;
    const result = await page?.evaluate(`(async () => {
      const calls = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }, { urls: "stun:leak.example:${port}" }] });
      calls.createDataChannel("x");
      await calls.setLocalDescription();
      const link = Object.assign(document.createElement("link"), { rel: "dns-prefetch", href: "//leak.example" });
      document.head.append(link);
      const transport = new WebTransport("https://127.0.0.1:${port}/");
      const ended = await Promise.race([transport.ready.then(() => "open", () => "failed"), new Promise((r) => setTimeout(r, 1500, "late"))]);
      return [typeof RTCPeerConnection, ended].join();
    })()`);
    udp.close();
    assert.equal(result, "function,failed");
    assert.deepEqual(packets, []);
    // Nor does the browser ask for anything of its own accord.
    assert.deepEqual([...new Set(asked)].sort(), ["localhost", "open.test", "rebind.test", "site.test"]);
  });
});
