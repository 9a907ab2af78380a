/** Which addresses and names the guard lets through, what an operator can permit, and what is refused in spite of that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAddressGuard } from "./address-guard.ts";
import { parseAllowEntry } from "./allow-list.ts";

const answering = (...addresses: string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
});
const refused = { code: "ADDRESS_REFUSED" };

describe("addresses", () => {
  const publicOnes = [
    "8.8.8.8",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82a::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
  ];
  const others = [
    ...["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255"],
    ...["192.168.0.1", "169.254.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1"],
    ...["198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
    ...["::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "ff02::1"],
    ...["::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "::8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1"],
    ...["64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "2002:7f00:1::", "2002:808:808::", "2001::1", "2001:db8::1"],
    ...["2001:2::1", "2001:20::1", "3fff::1", "100::1", "4000::1", "5f00::1", "200::1"],
    ...["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "", "nonsense", "1.2.3.4.5"],
  ];
  for (const address of publicOnes) {
    it(`lets ${address} through`, async () => {
      const guard = createAddressGuard(answering(address));
      assert.equal(guard.isAllowed("site.example", address), true);
      assert.deepEqual(await guard.resolve("site.example"), [{ address, family: address.includes(":") ? 6 : 4 }]);
    });
  }
  for (const address of others) {
    it(`refuses ${JSON.stringify(address)}`, async () => {
      const guard = createAddressGuard(answering(address));
      assert.equal(guard.isAllowed("site.example", address), false);
      await assert.rejects(guard.resolve("site.example"), refused);
    });
  }

  it("refuses all when one of several is refused, in any order", async () => {
    await assert.rejects(createAddressGuard(answering("8.8.8.8", "10.0.0.1")).resolve("mixed.example"), refused);
    await assert.rejects(createAddressGuard(answering("::1", "8.8.8.8")).resolve("mixed.example"), refused);
    assert.equal((await createAddressGuard(answering("8.8.8.8", "8.8.4.4")).resolve("two.example")).length, 2);
  });

  it("says that a name is not known", async () => {
    await assert.rejects(createAddressGuard(answering()).resolve("empty.example"), { code: "ADDRESS_NOT_FOUND" });
    const failing = createAddressGuard({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    await assert.rejects(failing.resolve("gone.example"), { code: "ADDRESS_NOT_FOUND", retryable: true });
  });
});

describe("names", () => {
  const guard = createAddressGuard(answering("8.8.8.8"));
  const privateNames = ["localhost", "LocalHost.", "localhost..", "a.localhost", "printer.local", "ⓛocalhost", "x.lan"];
  for (const name of [...privateNames, "metadata.google.internal", "metadata.google.internal.", "box.home.arpa"]) {
    it(`refuses ${name}, even where it leads to a public address`, async () => {
      await assert.rejects(guard.resolve(name), refused);
      assert.throws(() => guard.checkUrl(`http://${name}/`), refused);
    });
  }
  for (const name of ["127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127。0。0。1", "１２７.0.0.1", "[::1]", "::1"]) {
    it(`knows ${name} as a literal and does not ask for it`, async () => {
      const strict = createAddressGuard({ resolve: () => assert.fail("must not be asked") });
      await assert.rejects(strict.resolve(name), refused);
    });
  }
  for (const name of ["", ".", "a b", "a..b", "host:80", "a/b", "user@host", "x?y", "fe80::1%eth0", "1.2.3.4.5"]) {
    it(`does not take ${JSON.stringify(name)} for a name`, async () => {
      await assert.rejects(guard.resolve(name), { code: "ADDRESS_INVALID" });
    });
  }
  it("lets names through that only look alike", async () => {
    for (const name of ["localhost.example", "notlocal", "internal.example", "mylocalhost"]) await guard.resolve(name);
  });
});

describe("checkUrl", () => {
  const guard = createAddressGuard(answering("8.8.8.8"));
  const table: [string, string][] = [
    ["ftp://site.example/", "ADDRESS_REFUSED"],
    ["file:///etc/passwd", "ADDRESS_REFUSED"],
    ["javascript:alert(1)", "ADDRESS_REFUSED"],
    ["data:text/html,x", "ADDRESS_REFUSED"],
    ["http://user@site.example/", "ADDRESS_REFUSED"],
    ["http://:secret@site.example/", "ADDRESS_REFUSED"],
    ["http://site.example:0/", "ADDRESS_REFUSED"],
    ["http://site.example:25/", "ADDRESS_REFUSED"],
    ["https://site.example:22/", "ADDRESS_REFUSED"],
    ["http://127.0.0.1/", "ADDRESS_REFUSED"],
    ["site.example", "ADDRESS_INVALID"],
    ["http://", "ADDRESS_INVALID"],
    ["http://a..b/", "ADDRESS_INVALID"],
    ["http://site.example:99999/", "ADDRESS_INVALID"],
    ["http://[fe80::1%25eth0]/", "ADDRESS_INVALID"],
  ];
  for (const [url, code] of table) it(`${url}: ${code}`, () => assert.throws(() => guard.checkUrl(url), { code }));

  it("gives the address as a copy of its own", () => {
    const url = new URL("HTTP://Site.Example:80/a?b#c");
    const checked = guard.checkUrl(url);
    url.hostname = "127.0.0.1";
    assert.equal(checked.href, "http://site.example/a?b#c");
    assert.equal(guard.checkUrl("https://site.example:8443/").port, "8443");
  });
});

describe("what an operator permits", () => {
  it("names, suffixes, addresses and ranges", async () => {
    const allow = ["Wiki.Lan", "*.corp.example", "127.0.0.1", "10.0.0.0/8", "fd00::/8", "[::1]"];
    const guard = createAddressGuard({ ...answering("192.168.7.7"), allow });
    assert.deepEqual(await guard.resolve("wiki.lan"), [{ address: "192.168.7.7", family: 4 }]);
    await guard.resolve("a.b.corp.example");
    await assert.rejects(guard.resolve("corp.example"), refused);
    await assert.rejects(guard.resolve("sub.wiki.lan"), refused);
    await assert.rejects(guard.resolve("evilcorp.example"), refused);
    for (const host of ["127.0.0.1", "10.200.0.1", "[fd12::1]", "[::1]", "[::ffff:127.0.0.1]"]) {
      assert.equal(guard.checkUrl(`http://${host}/`).protocol, "http:");
    }
    for (const host of ["127.0.0.2", "11.0.0.1.nip.lan", "[fc00::1]", "192.168.7.7", "localhost"]) {
      assert.throws(() => guard.checkUrl(`http://${host}/`), refused);
    }
  });

  it("limited to a port", async () => {
    const guard = createAddressGuard({
      ...answering("10.0.0.1"),
      allow: ["127.0.0.1:8080", "wiki.lan:80", "[::1]:99"],
    });
    guard.checkUrl("http://127.0.0.1:8080/");
    guard.checkUrl("http://[::1]:99/");
    guard.checkUrl("http://wiki.lan/");
    await guard.resolve("wiki.lan", 80);
    for (const url of ["http://127.0.0.1/", "http://127.0.0.1:8081/", "http://[::1]/", "https://wiki.lan/"]) {
      assert.throws(() => guard.checkUrl(url), refused);
    }
    await assert.rejects(guard.resolve("wiki.lan"), refused);
    await assert.rejects(guard.resolve("wiki.lan", 443), refused);
  });

  it("opens a metadata service only to its very address", async () => {
    const wide = createAddressGuard({ ...answering("169.254.169.254"), allow: ["169.254.0.0/16", "*.internal"] });
    assert.throws(() => wide.checkUrl("http://169.254.169.254/"), refused);
    assert.throws(() => wide.checkUrl("http://[::ffff:169.254.169.254]/"), refused);
    await assert.rejects(wide.resolve("metadata.google.internal"), refused);
    wide.checkUrl("http://169.254.1.1/");
    createAddressGuard({ allow: ["169.254.169.254"] }).checkUrl("http://169.254.169.254/");
  });

  it("refuses entries that mean nothing", () => {
    for (const entry of [
      "",
      "*",
      "*.",
      "10.0.0",
      "10.0.0.0/33",
      "http://wiki.lan",
      "a b",
      "wiki.lan:0",
      "wiki.lan:x",
    ]) {
      assert.equal(parseAllowEntry(entry), undefined, entry);
      assert.throws(() => createAddressGuard({ allow: [entry] }), { code: "ADDRESS_INVALID" });
    }
  });
});
