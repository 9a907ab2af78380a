import assert from "node:assert/strict";
import { test } from "node:test";
import { apiUrl, isSafeUrl } from "./api-url.ts";

const good = [
  "https://slack.com/api/",
  "https://chat.corp.example:8443",
  "https://10.0.0.5/api",
  "http://127.0.0.1:8080/api/",
  "http://127.9.9.9",
  "http://localhost:1",
  "http://[::1]:8080/",
  "HTTP://LOCALHOST/",
];
const bad = [
  "",
  "slack.com",
  "http://slack.com/api/",
  "http://127.0.0.1.evil.example/",
  "http://localhost.evil.example/",
  "http://10.0.0.5/",
  "http://0.0.0.0/",
  "https://user:password@slack.com/",
  "http://127.0.0.1@evil.example/",
  "ftp://127.0.0.1/",
  "wss://slack.com/",
  "file:///etc/passwd",
  "https://slack.com/?token=x",
  "https://slack.com/#x",
];

for (const url of good) test(`taken: ${url}`, () => assert.equal(apiUrl.safeParse(url).success, true));
for (const url of bad) test(`refused: ${url}`, () => assert.equal(apiUrl.safeParse(url).success, false));

test("sockets follow the same rule", () => {
  assert.equal(isSafeUrl(new URL("wss://gateway.example/?v=10")), true);
  assert.equal(isSafeUrl(new URL("ws://127.0.0.1:99/")), true);
  assert.equal(isSafeUrl(new URL("ws://gateway.example/")), false);
});
