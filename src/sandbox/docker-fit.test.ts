import assert from "node:assert/strict";
import { it } from "node:test";
import { type AttachedMount, mapWorkingFolder, type RealFolders } from "./docker-fit.ts";

const mount = (source: string, target: string, isReadOnly = false): AttachedMount => ({ source, target, isReadOnly });
const folders = (more: Partial<RealFolders> = {}): RealFolders => ({
  roots: ["/data/w"],
  readOnly: ["/data/skills"],
  hidden: ["/data/auth.json", "/data/w/other"],
  cwd: "/data/w/here",
  ...more,
});
const narrow = { hidden: ["/data/auth.json"] };

it("gives the folder's path inside, through the nearest mount", () => {
  const mounts = [mount("/data/w", "/workspace"), mount("/data/w/here", "/here")];
  assert.equal(mapWorkingFolder("c", mounts, folders(narrow)), "/here");
  assert.equal(mapWorkingFolder("c", mounts, folders({ ...narrow, cwd: "/data/w/a/b" })), "/workspace/a/b");
});

it("leaves mounts alone that are not about mom's folders", () => {
  const mounts = [
    mount("/data/w", "/workspace"),
    mount("/var/cache", "/cache"),
    mount("/data/skills", "/skills", true),
  ];
  assert.equal(mapWorkingFolder("c", mounts, folders(narrow)), "/workspace/here");
});

const misfits: [what: string, mounts: AttachedMount[], RealFolders, RegExp][] = [
  ["a root that is not there", [mount("/data/x", "/x")], folders(narrow), /does not show \/data\/w/],
  ["a root that cannot be written", [mount("/data/w", "/w", true)], folders(narrow), /for writing/],
  ["something hidden in a root", [mount("/data/w", "/w")], folders(), /\/data\/w\/other.*closed/],
  [
    "a mount out of something hidden",
    [mount("/data/w", "/w"), mount("/data/w/other/x", "/x")],
    folders({ hidden: ["/data/w/other"] }),
    /closed/,
  ],
  ["the folder around a root", [mount("/data", "/data")], folders({ hidden: [] }), /more than/],
  [
    "a readable folder that can be written",
    [mount("/data/w", "/w"), mount("/data/skills", "/s")],
    folders(narrow),
    /can write/,
  ],
  [
    "a working folder elsewhere",
    [mount("/data/w", "/w")],
    folders({ ...narrow, cwd: "/data/skills" }),
    /does not show \/data\/skills/,
  ],
];
for (const [what, mounts, real, message] of misfits) {
  it(`refuses ${what}`, () => {
    assert.throws(
      () => mapWorkingFolder("c", mounts, real),
      (error: Error & { code?: string; hint?: string }) => {
        assert.equal(error.code, "SANDBOX_UNAVAILABLE");
        assert.match(error.message, message);
        assert.ok(error.hint);
        return true;
      },
    );
  });
}
