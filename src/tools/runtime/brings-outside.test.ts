/** Which commands may bring text from outside, and which everyday ones do not. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { bringsOutside, findSource } from "./brings-outside.ts";

it("sees commands that read from the network", () => {
  for (const command of [
    "curl -s example.org",
    "cd x && wget -qO- $URL",
    "git -C repo pull",
    "python3 -c 'import urllib.request'",
    "python3 -c 'import socket; socket.create_connection(x)'",
    "exec 3<>/dev/tcp/example.org/80; cat <&3",
    "ssh host cat file",
    'node -e "fetch(process.argv[1])"',
    "firefox HTTPS://EXAMPLE.ORG",
    "host example.org",
    "cd x; mail -p",
    "echo a | nc h 80",
    "sudo /usr/bin/links -dump x",
    "A=1 gh issue list",
    "x=$(dig +short h)",
    "himalaya read 1",
    "npm view evil readme",
    "pip download x",
  ]) {
    assert.equal(bringsOutside(command), true, command);
  }
});

it("leaves everyday commands alone", () => {
  for (const command of [
    "ls -la",
    "git status",
    "git log --oneline",
    "make test",
    "make host",
    "echo hello",
    "cat notes.md | wc -l",
    "cat mail.txt links.md",
    "grep -rn 'links to the host' notes",
    "ls mail host",
    "npm test",
    "npm run fetch",
    "rg fetch src",
    "ls /run/socket",
  ]) {
    assert.equal(bringsOutside(command), false, command);
    for (const hasNetwork of [true, false]) assert.equal(findSource(command, { hasNetwork }), undefined, command);
  }
});

it("sees commands on the files of chats, with a network and without", () => {
  for (const command of [
    "cat channels/slack/C1/attachments/bob.txt",
    "cd channels; cat slack/C1/notes",
    "tail -n 3 */*/*/log.jsonl",
    "cat ../context-1.jsonl",
    "ls attachments",
  ]) {
    for (const hasNetwork of [true, false])
      assert.match(findSource(command, { hasNetwork }) ?? "", /files of chats/, command);
  }
  assert.match(findSource("curl x", { hasNetwork: true }) ?? "", /network/);
  assert.equal(findSource("curl x", { hasNetwork: false }), undefined);
});

it("is quick about a long line of anything", () => {
  for (const piece of ["git ", ";", "\n", ";a=", "a=\n", "(", "context.", "sudo ", "fetch ", "x/", "\n/"]) {
    const command = piece.repeat(100_000 / piece.length);
    const startedAt = performance.now();
    assert.equal(findSource(command, { hasNetwork: true }), undefined);
    assert.ok(performance.now() - startedAt < 500, JSON.stringify(piece));
  }
});
