import assert from "node:assert/strict";
import { it } from "node:test";
import { buildConfinedEnvironment, buildEnvironment, buildLauncherEnvironment, markName } from "./environment.ts";

const withoutGit = (variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith("GIT_")));

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
  assert.deepEqual(withoutGit(buildEnvironment(host, {}, "m")), {
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

it("leaves the host's folders and people out of a sandbox, and the loader alone", () => {
  const host = { PATH: "/bin", HOME: "/root", TMPDIR: "/var/tmp", USER: "root", LANG: "C" };
  const added = { LD_PRELOAD: "/evil.so", LD_LIBRARY_PATH: "/evil", KEPT: "yes" };
  const built = buildConfinedEnvironment(host, added, "m", { home: "/tmp", programsDir: "/run/mom" });
  assert.deepEqual(withoutGit(built), {
    PATH: "/bin:/run/mom",
    HOME: "/tmp",
    LANG: "C",
    TERM: "dumb",
    KEPT: "yes",
    [markName]: "m",
  });
});

it("gives the programs that build a sandbox nothing but a path", () => {
  assert.deepEqual(buildLauncherEnvironment({ PATH: "/bin", LD_PRELOAD: "x", LANG: "C" }, "m"), {
    PATH: "/bin",
    [markName]: "m",
  });
});
