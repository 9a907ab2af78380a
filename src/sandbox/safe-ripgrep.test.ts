import assert from "node:assert/strict";
import { it } from "node:test";
import { buildSearchArguments } from "./safe-ripgrep.ts";

it("passes on plain long options, and anything for a path", () => {
  const args = ["--hidden", "--regexp=-z", "--glob=!.git", "--", "/a", "--pre=x", "-f"];
  assert.deepEqual(buildSearchArguments(args), ["--no-config", ...args]);
});

it("refuses what would start a program, read another file or leave the folder", () => {
  for (const option of [
    "--pre=sh",
    "--pre",
    "--hostname-bin=x",
    "--search-zip",
    "-z",
    "-nz",
    "--file=/etc/passwd",
    "-f",
    "--follow",
    "-L",
  ]) {
    assert.throws(() => buildSearchArguments(["--hidden", option, "--", "/a"]), { code: "EXEC_INVALID" }, option);
  }
});
