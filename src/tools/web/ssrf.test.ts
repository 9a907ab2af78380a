/**
 * Ways to make mom fetch what only she can reach (spec 10.2). A recording connector stands where sockets would be opened
 * and leads every connection to one server on loopback, whatever its address. Each attack has a twin with the guard off
 * in which it gets there: what stops it is the guard and not an accident.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { after, before, describe, it } from "node:test";
import { type AddressGuard, createAddressGuard, type ResolveHost } from "../../base/address-guard.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { Connect } from "./pinned-connect.ts";

/** Redirects where `?to=` says, as often as it is repeated; else tells its secret. */
const server = createServer((request, response) => {
  const [first, ...rest] = new URL(request.url ?? "", "http://server").searchParams.getAll("to");
  if (first === undefined) {
    response.end("secret");
    return;
  }
  const query = rest.map((to) => `to=${encodeURIComponent(to)}`).join("&");
  const location = query === "" ? first : `${first}?${query}`;
  // In bytes, as servers send it. Connections are not kept, so that every hop has to be opened anew.
  response.writeHead(302, { location: Buffer.from(location).toString("latin1"), connection: "close" }).end();
});
before(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
after(() => void server.close());

const publicAddress = "93.184.216.34";

/** Answers by name; a list of lists is one answer per question, the last one from then on. */
type Names = Record<string, string[] | string[][]>;

function createWorld(names: Names, isGuarded: boolean) {
  const reached: string[] = [];
  const asked = new Map<string, number>();
  const resolve: ResolveHost = async (hostname) => {
    const count = asked.get(hostname) ?? 0;
    asked.set(hostname, count + 1);
    const answers = names[hostname] ?? [publicAddress];
    const answer = answers.every((one) => typeof one === "string") ? answers : (answers[count] ?? answers.at(-1) ?? []);
    return answer.flat().map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  const connect: Connect = ({ addresses }) => {
    reached.push(...addresses.map(({ address }) => address));
    return new Promise((done, reject) => {
      const socket = connectSocket((server.address() as AddressInfo).port, "127.0.0.1", () => done(socket));
      socket.once("error", reject);
    });
  };
  const guard = isGuarded ? createAddressGuard({ resolve }) : createNoGuard(resolve);
  const web = createGuardedFetch({ guard, clock: createSystemClock(), connect });
  const get = async (url: string) => {
    try {
      const { body } = await web.fetch(url, { maxBytes: 1000, timeoutMs: 5000 });
      return new TextDecoder().decode(body);
    } finally {
      await web.close();
    }
  };
  return { get, reached };
}

function createNoGuard(resolve: ResolveHost): AddressGuard {
  return {
    checkUrl: (url) => new URL(String(url)),
    isAllowed: () => true,
    resolve: async (hostname) => {
      const bare = hostname.replace(/^\[(.*)\]$/, "$1");
      const found = /^[\d.]+$|:/.test(bare) ? [{ address: bare }] : await resolve(bare);
      return found.map(({ address }) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  };
}

interface Attack {
  name: string;
  url: string;
  names?: Names;
  /** Reached with the guard off; must not be with it on. */
  target: string;
}

const via = (...to: string[]) => `http://good.example/?${to.map((one) => `to=${encodeURIComponent(one)}`).join("&")}`;

const literals: [string, string][] = [
  ["127.0.0.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["0x7f.0.0.1", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["１２７.０.０.１", "127.0.0.1"],
  ["①②⑦.⓪.⓪.①", "127.0.0.1"],
  ["127。0。0。1", "127.0.0.1"],
  ["%31%32%37.0.0.1", "127.0.0.1"],
  ["0", "0.0.0.0"],
  ["0.0.0.0", "0.0.0.0"],
  ["169.254.169.254", "169.254.169.254"],
  ["0xa9fea9fe", "169.254.169.254"],
  ["100.100.100.200", "100.100.100.200"],
  ["10.1.2.3", "10.1.2.3"],
  ["192.168.1.1", "192.168.1.1"],
  ["172.16.0.1", "172.16.0.1"],
  ["100.64.0.1", "100.64.0.1"],
  ["224.0.0.1", "224.0.0.1"],
  ["255.255.255.255", "255.255.255.255"],
  ["[::]", "::"],
  ["[::1]", "::1"],
  ["[0:0:0:0:0:0:0:1]", "::1"],
  ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
  ["[::ffff:7f00:1]", "::ffff:7f00:1"],
  ["[::127.0.0.1]", "::7f00:1"],
  ["[::ffff:0:127.0.0.1]", "::ffff:0:7f00:1"],
  ["[64:ff9b::127.0.0.1]", "64:ff9b::7f00:1"],
  ["[64:ff9b::a9fe:a9fe]", "64:ff9b::a9fe:a9fe"],
  ["[64:ff9b:1::10.0.0.1]", "64:ff9b:1::a00:1"],
  ["[2002:7f00:1::]", "2002:7f00:1::"],
  ["[2001:0:7f00:1::]", "2001:0:7f00:1::"],
  ["[fe80::1]", "fe80::1"],
  ["[fd00:ec2::254]", "fd00:ec2::254"],
];

const attacks: Attack[] = [
  ...literals.map(([host, target]) => ({ name: `the literal ${host}`, url: `http://${host}:8080/`, target })),
  ...literals.map(([host, target]) => ({ name: `a redirect to ${host}`, url: via(`http://${host}:8080/`), target })),
  { name: "backslashes for slashes", url: "http:\\\\127.0.0.1\\", target: "127.0.0.1" },
  { name: "no slashes at all", url: "http:127.0.0.1", target: "127.0.0.1" },
  { name: "a name for loopback", url: "http://a.example/", names: { "a.example": ["127.0.0.1"] }, target: "127.0.0.1" },
  { name: "a name for ::1", url: "http://a.example/", names: { "a.example": ["::1"] }, target: "::1" },
  {
    name: "a name for a mapped address",
    url: "http://a.example/",
    names: { "a.example": ["::ffff:10.0.0.1"] },
    target: "::ffff:10.0.0.1",
  },
  {
    name: "a name for an address with a zone",
    url: "http://a.example/",
    names: { "a.example": ["fe80::1%eth0"] },
    target: "fe80::1%eth0",
  },
  {
    name: "a public and a private answer",
    url: "http://a.example/",
    names: { "a.example": [publicAddress, "192.168.0.1"] },
    target: "192.168.0.1",
  },
  {
    name: "a private and a public answer",
    url: "http://a.example/",
    names: { "a.example": ["192.168.0.1", publicAddress] },
    target: "192.168.0.1",
  },
  { name: "localhost", url: "http://localhost/", names: { localhost: ["127.0.0.1"] }, target: "127.0.0.1" },
  {
    name: "localhost with a dot",
    url: "http://localhost./",
    names: { "localhost.": ["127.0.0.1"] },
    target: "127.0.0.1",
  },
  { name: "localhost in circles", url: "http://ⓛⓞcalhost/", names: { localhost: ["127.0.0.1"] }, target: "127.0.0.1" },
  { name: "a name under localhost", url: "http://a.localhost/", names: { "a.localhost": ["::1"] }, target: "::1" },
  {
    name: "the metadata name behind a public address",
    url: "http://metadata.google.internal/computeMetadata/v1/",
    target: publicAddress,
  },
  {
    name: "an answer that changes for the second request",
    url: via("http://turn.example/", "http://turn.example/again"),
    names: { "turn.example": [[publicAddress], ["127.0.0.1"]] },
    target: "127.0.0.1",
  },
  {
    name: "a redirect to a private name",
    url: via("http://inner.example/"),
    names: { "inner.example": ["10.0.0.9"] },
    target: "10.0.0.9",
  },
  {
    name: "a chain of redirects that ends inside",
    url: via("http://b.example/", "http://c.example/", "http://d.example/", "http://169.254.169.254/"),
    target: "169.254.169.254",
  },
  { name: "port 0", url: "http://good.example:0/", target: publicAddress },
  { name: "a redirect without a protocol", url: via("//127.0.0.1/"), target: "127.0.0.1" },
];

for (const { name, url, names = {}, target } of attacks) {
  describe(name, () => {
    it("is refused", async () => {
      const { get, reached } = createWorld(names, true);
      await assert.rejects(get(url), { code: "ADDRESS_REFUSED" });
      // The hops before it may be reached, it may not.
      assert.ok(!reached.includes(target));
      assert.ok(reached.every((address) => address === publicAddress));
    });
    it("gets there with the guard off", async () => {
      const { get, reached } = createWorld(names, false);
      assert.equal(await get(url), "secret");
      assert.ok(reached.includes(target), `reached ${reached.join(", ")}`);
    });
  });
}

/** The HTTP client does not go there either; the guard says no first, and by name. */
const refusedTwice: [string, string][] = [
  ["a user name before an inner address", "http://good.example@127.0.0.1/"],
  ["a user name and password", "http://user:pass@good.example/"],
  ["a redirect to a user name", via("http://good@127.0.0.1/")],
  ["a redirect to a file", via("file:///etc/passwd")],
  ["a redirect to data", via("data:text/plain,x")],
  ["a redirect to ftp", via("ftp://good.example/")],
  ["a mail port", "http://good.example:25/"],
  ["a redirect to a shell port", via("http://good.example:22/")],
];
for (const [name, url] of refusedTwice) {
  describe(name, () => {
    it("is refused", async () => {
      await assert.rejects(createWorld({}, true).get(url), { code: "ADDRESS_REFUSED" });
    });
    it("is not refused by the guard when that is off", async () => {
      const answer = await createWorld({}, false)
        .get(url)
        .catch((error: unknown) => error);
      assert.notEqual(answer, "secret");
      assert.equal(Reflect.get(Object(answer), "code") === "ADDRESS_REFUSED", false);
    });
  });
}

describe("what is none", () => {
  for (const url of ["http://[fe80::1%25eth0]/", "http://1.2.3.4.5/", "http://256.0.0.1/", "http://exa mple/"]) {
    it(`${url} is no address, guard or not`, async () => {
      await assert.rejects(createWorld({}, true).get(url), { code: "ADDRESS_INVALID" });
      assert.equal(URL.parse(url), null);
    });
  }
});

describe("public pages", () => {
  it("are reached at the very address that was checked", async () => {
    const { get, reached } = createWorld({ "good.example": ["8.8.8.8"] }, true);
    assert.equal(await get("http://good.example/"), "secret");
    assert.deepEqual(reached, ["8.8.8.8"]);
  });
  it("are reached through redirects, also to literals", async () => {
    const { get, reached } = createWorld({ "b.example": ["2606:4700:4700::1111"] }, true);
    assert.equal(await get(via("http://b.example/", "http://8.8.4.4/")), "secret");
    assert.deepEqual(reached, [publicAddress, "2606:4700:4700::1111", "8.8.4.4"]);
  });
  it("have their name looked up once per connection", async () => {
    const { get, reached } = createWorld({ "turn.example": [["8.8.8.8"], ["127.0.0.1"]] }, true);
    assert.equal(await get("http://turn.example/"), "secret");
    assert.deepEqual(reached, ["8.8.8.8"]);
  });
});
