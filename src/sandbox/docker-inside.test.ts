import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { it } from "node:test";
import { buildEnterArguments, parseHello } from "./docker-inside.ts";
import { markName } from "./environment.ts";

/** The scripts are plain shell, so they can be tried without a container. */
function enter(command: { argv: string[] } | { shell: string }, env: Record<string, string> = {}) {
  const [program = "", ...args] = buildEnterArguments({
    command,
    env: { ...env, [markName]: "m." },
    mark: "m.",
    hello: "hi:",
  });
  return execFileSync(program, args, { env: { PATH: process.env["PATH"], IMAGE: "secret" }, stdio: "pipe" }).toString();
}

it("passes words on as they are, whatever is in them", () => {
  const words = ["a b", "$HOME", "; echo no", "*", "", "-n", "'\"", "ü\n"];
  assert.equal(enter({ argv: ["printf", "%s|", ...words] }), words.map((word) => `${word}|`).join(""));
});

it("starts programs, not the shell's own words", () => {
  assert.equal(enter({ argv: ["echo", "-e", "x"] }).trim(), execFileSync("echo", ["-e", "x"]).toString().trim());
});

it("leaves the image's variables outside, and sets those of the call", () => {
  const seen = enter({ argv: ["env"] }, { ADDED: "x=y z", PATH: "/usr/bin:/bin" });
  assert.match(seen, /^ADDED=x=y z$/m);
  assert.match(seen, new RegExp(`^${markName}=m\\.$`, "m"));
  assert.match(seen, /^PATH=\/usr\/bin:\/bin$/m);
  assert.doesNotMatch(seen, /IMAGE/);
});

it("reads the greeting", () => {
  assert.deepEqual(parseHello("12 3"), { pid: 12, killedBefore: 3 });
  assert.equal(parseHello("missing"), undefined);
});
