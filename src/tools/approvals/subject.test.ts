/** Two calls are the same only if everything that will happen is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalSubject } from "../../contracts/approval.ts";
import type { Tool } from "../../contracts/tool.ts";
import { buildSubject, hashSubject, toShellLine } from "./subject.ts";

const subject: ApprovalSubject = {
  tool: "bash",
  text: "ls",
  exact: { argv: ["bash", "-c", "ls"], cwd: "/w", env: { A: "1", B: "2" } },
};
const withExact = (more: Partial<ApprovalSubject["exact"]>) => ({ ...subject, exact: { ...subject.exact, ...more } });

test("the hash changes with the tool, each word, the folder and each variable, and with nothing else", () => {
  const others = [
    { ...subject, tool: "process" },
    withExact({ argv: ["bash", "-c", "ls "] }),
    withExact({ argv: ["bash", "-c ls"] }),
    withExact({ argv: ["bash", "-c", "l\u0455"] }),
    withExact({ argv: ["bash", "-c", "ls", ""] }),
    withExact({ cwd: "/w/" }),
    withExact({ env: {} }),
    withExact({ env: { A: "1", B: "3" } }),
    withExact({ env: { A: "1", B: "2", C: "" } }),
    withExact({ env: { A: "1B", "": "2" } }),
  ];
  const hashes = new Set([subject, ...others].map(hashSubject));
  assert.equal(hashes.size, others.length + 1);
  const same = { ...withExact({ env: { B: "2", A: "1" } }), text: "said in another way" };
  assert.equal(hashSubject(same), hashSubject(subject));
  assert.match(hashSubject(subject), /^[0-9a-f]{64}$/);
});

test("a tool without a subject of its own is allowed with its arguments, in whatever order they come", async () => {
  const tool = { name: "message" } as Tool;
  const one = await buildSubject(tool, { to: "#a", list: [{ b: 1, a: "x\ny" }] });
  const other = await buildSubject(tool, { list: [{ a: "x\ny", b: 1 }], to: "#a" });
  assert.deepEqual(one, other);
  assert.equal(one.text, '{\n  "list": [\n    {\n      "a": "x\\ny",\n      "b": 1\n    }\n  ],\n  "to": "#a"\n}');
  assert.notEqual(hashSubject(one), hashSubject(await buildSubject(tool, { to: "#b" })));
  assert.equal(toShellLine(one), undefined);
});

test("what a shell is given is shown as it is, whatever the tool says of it", async () => {
  const tool = {
    name: "bash",
    approvalSubject: async () => ({ ...subject, text: "something nice" }),
  } as unknown as Tool;
  assert.equal((await buildSubject(tool, {})).text, "ls");
  assert.deepEqual(toShellLine(withExact({ argv: ["/bin/sh", "-c", "ls"] })), { shell: "sh", command: "ls" });
  for (const argv of [["bash", "ls"], ["bash", "-c"], ["zsh", "-c", "ls"], ["bash", "-c", "ls", "x"], ["-c", "ls"], []])
    assert.equal(toShellLine(withExact({ argv })), undefined);
});
