/** The proxy before the browser: one user, the same address rules as web_fetch, nothing of its own leaks. */
import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { createBrowserSite } from "../../../test/fakes/browser-site.ts";
import { createAddressGuard } from "../../base/address-guard.ts";
import { createGuardProxy, type GuardProxy } from "./guard-proxy.ts";

/** A site called `site.test` that may be reached, and the proxy. Names are answered by `resolve`. */
async function setUp(test: TestContext, resolve = async (_name: string) => [{ address: "127.0.0.1", family: 4 }]) {
  const site = await createBrowserSite({
    "/": "hello",
    "/headers": (incoming, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end(JSON.stringify(incoming.headers));
    },
  });
  const proxy = await createGuardProxy(createAddressGuard({ resolve, allow: [`site.test:${site.port}`] }));
  test.after(async () => {
    await proxy.close();
    await site.close();
  });
  return { site, proxy, base: `site.test:${site.port}` };
}

const credentials = ({ username, password }: GuardProxy) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

interface Answer {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

function get(proxy: GuardProxy, url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(proxy.server);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: url, headers, agent: false }, async (response) => {
      let body = "";
      for await (const part of response) body += String(part);
      resolve({ status: response.statusCode, headers: response.headers, body });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const getAs = (proxy: GuardProxy, url: string) => get(proxy, url, { "proxy-authorization": credentials(proxy) });

/** What a tunnel answers: its first line, and all that came through it after a request. */
function tunnel(proxy: GuardProxy, host: string, authorization = credentials(proxy)): Promise<string> {
  const { hostname, port } = new URL(proxy.server);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (data) => {
      if (received === "" && String(data).includes(" 200 "))
        socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      received += String(data);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  });
}

describe("the guard proxy", () => {
  it("passes plain requests and tunnels on to an address that may be reached", async (test) => {
    const { proxy, base, site } = await setUp(test);
    assert.equal((await getAs(proxy, `http://${base}/`)).body, "hello");
    assert.match(await tunnel(proxy, base), /^HTTP\/1.1 200 .*hello/s);
    assert.deepEqual(site.requests, ["GET /", "GET /"]);
  });

  it("has one user", async (test) => {
    const { proxy, base, site } = await setUp(test);
    const answer = await get(proxy, `http://${base}/`);
    assert.equal(answer.status, 407);
    assert.match(String(answer.headers["proxy-authenticate"]), /^Basic/);
    assert.match(await tunnel(proxy, base, "Basic bW9tOmd1ZXNz"), /^HTTP\/1.1 407 /);
    assert.deepEqual(site.requests, []);
  });

  it("refuses every address that web_fetch would refuse, plain and in a tunnel", async (test) => {
    const { proxy, site } = await setUp(test);
    const hosts = [
      `127.0.0.1:${site.port}`,
      `localhost:${site.port}`,
      `other.test:${site.port}`,
      `[::1]:${site.port}`,
      `2130706433:${site.port}`,
      `[::ffff:127.0.0.1]:${site.port}`,
      `site.test:${site.port === 8080 ? 8081 : 8080}`,
      "169.254.169.254:80",
    ];
    for (const host of hosts) {
      assert.equal((await getAs(proxy, `http://${host}/`)).status, 403, host);
      assert.match(await tunnel(proxy, host), /^HTTP\/1.1 403 /, host);
    }
    assert.deepEqual(site.requests, []);
    assert.equal(proxy.failureOf(`127.0.0.1:${site.port}`)?.code, "ADDRESS_REFUSED");
    assert.equal(proxy.failureOf("[::1]:80"), undefined);
  });

  it("looks a name up for every connection, once, and does not trust an earlier answer", async (test) => {
    const answers = ["127.0.0.1", "169.254.169.254", "127.0.0.1"];
    const asked: string[] = [];
    const { proxy, base, site } = await setUp(test, async (name) => {
      asked.push(name);
      return [{ address: answers.shift() ?? "10.0.0.7", family: 4 }];
    });
    assert.equal((await getAs(proxy, `http://${base}/`)).status, 200);
    assert.equal((await getAs(proxy, `http://${base}/`)).status, 403);
    assert.match(await tunnel(proxy, base), /^HTTP\/1.1 200 /);
    assert.deepEqual(asked, ["site.test", "site.test", "site.test"]);
    assert.equal(site.requests.length, 2);
  });

  it("tells a name that is not known from one that is refused", async (test) => {
    const { proxy } = await setUp(test, async () => {
      throw new Error("ENOTFOUND");
    });
    assert.equal((await getAs(proxy, "http://nowhere.example/")).status, 502);
    assert.equal(proxy.failureOf("nowhere.example:80")?.code, "ADDRESS_NOT_FOUND");
  });

  it("keeps its password and the headers of its own leg to itself", async (test) => {
    const { proxy, base } = await setUp(test);
    const { body, headers } = await getAs(proxy, `http://${base}/headers`);
    const seen = JSON.parse(body);
    assert.equal(seen["proxy-authorization"], undefined);
    assert.equal(seen.host, base);
    assert.deepEqual(headers["set-cookie"], ["a=1", "b=2"]);
  });

  it("answers nonsense, and a site that is down, without falling over", async (test) => {
    const { proxy, site, base } = await setUp(test);
    assert.equal((await getAs(proxy, "/no-proxy-request")).status, 400);
    assert.equal((await getAs(proxy, "ftp://site.test/")).status, 400);
    assert.match(await tunnel(proxy, "a b"), /^HTTP\/1.1 4|^$/);
    await site.close();
    assert.equal((await getAs(proxy, `http://${base}/`)).status, 502);
    assert.match(await tunnel(proxy, base), /^HTTP\/1.1 502 /);
    assert.match(proxy.failureOf(base)?.message ?? "", /^site\.test:\d+ cannot be reached \(ECONNREFUSED\)$/);
  });
});
