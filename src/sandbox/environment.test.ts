import assert from "node:assert/strict";
import { it } from "node:test";
import { buildEnvironment, markName } from "./environment.ts";

it("passes on only harmless names of the host", () => {
  const host = {
    PATH: "/bin",
    HOME: "/h",
    LC_ALL: "C",
    TERM: "xterm",
    OPENAI_API_KEY: "sk",
    LD_PRELOAD: "x",
    USER: undefined,
  };
  assert.deepEqual(buildEnvironment(host, {}, "m"), {
    PATH: "/bin",
    HOME: "/h",
    LC_ALL: "C",
    TERM: "dumb",
    [markName]: "m",
  });
});

it("has a path where the host has none, adds what the call asks for, and keeps the mark", () => {
  const built = buildEnvironment({}, { LANG: "C", [markName]: "forged" }, "m");
  assert.match(built["PATH"] ?? "", /\/usr\/bin/);
  assert.equal(built["LANG"], "C");
  assert.equal(built[markName], "m");
});
