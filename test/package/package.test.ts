/** What people install: the packed tarball, unpacked into an empty folder, started by the Node that they have. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findOldNode } from "./old-node.ts";

const repo = join(import.meta.dirname, "..", "..");
const skip = existsSync(join(repo, "dist/main.js")) ? false : "dist/ is not built: run `npm run build` first";
const old = findOldNode();
/** An import of a package by name; `node:fs` and `./chunk.js` are none. */
const packageImport =
  /\b(?:import|export)\s*(?:\(\s*|[\w$*{},\s]+?\bfrom\s*)?"((?:@[\w.-]+\/)?[a-z0-9][\w.-]*)(?:\/[^"]{0,100})?"/g;

describe("the packed package", { skip, timeout: 30_000 }, () => {
  let folder = "";
  let installed = "";

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "mom-package-"));
    installed = join(folder, "node_modules", "mom");
    mkdirSync(installed, { recursive: true });
    // The build has run already; --ignore-scripts keeps npm from running it again.
    run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], repo);
    const tarball =
      readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? assert.fail("npm pack made no tarball");
    run("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"], folder);
    // Its two dependencies as npm would hoist them, without a download.
    for (const name of ["node", "@vscode"])
      symlinkSync(join(repo, "node_modules", name), join(folder, "node_modules", name));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(program: string, args: string[], cwd: string) {
    const result = spawnSync(program, args, { cwd, encoding: "utf8", timeout: 20_000 });
    assert.equal(result.status, 0, `${program} ${args.join(" ")}: ${result.stderr}${result.error?.message ?? ""}`);
    return result;
  }

  function runMom(node: string, ...args: string[]) {
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
    const bin = join(installed, "bin", "mom.js");
    return spawnSync(node, [bin, ...args], { cwd: folder, env, encoding: "utf8", timeout: 20_000 });
  }

  test("holds the program, its notices and nothing of the workshop", () => {
    const names = readdirSync(installed);
    for (const name of ["bin", "dist", "package.json", "THIRD-PARTY-NOTICES.txt"])
      assert.ok(names.includes(name), name);
    for (const name of ["test", "scripts", "bench", "node_modules"]) assert.ok(!names.includes(name), name);
    // How an app is made on each platform: `mom init` says where to read it.
    const source = readdirSync(join(installed, "src"), { recursive: true, withFileTypes: true });
    const read = source.filter((entry) => entry.isFile()).map(({ name }) => name);
    assert.deepEqual([...new Set(read)], ["README.md"]);
    const files = readdirSync(join(installed, "dist"), { recursive: true }).map(String);
    assert.deepEqual(
      files.filter((file) => /\.(map|ts)$|\.test\./.test(file)),
      [],
    );
  });

  test("needs only what it declares", () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    // Named by the AWS client in a hint, tried by a proxy library for one rare kind of login, and by Discord's for a faster
    // unpacking that we do not ask for: all do without.
    const optional = ["@aws-sdk/signature-v4-crt", "kerberos", "zlib-sync"];
    const { dependencies, optionalDependencies } = manifest;
    const declared = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...optional]);
    const chunks = readdirSync(join(installed, "dist"), { recursive: true, withFileTypes: true }).filter((f) =>
      f.isFile(),
    );
    for (const chunk of chunks) {
      const text = readFileSync(join(chunk.parentPath, chunk.name), "utf8");
      for (const [, name = ""] of text.matchAll(packageImport)) {
        assert.ok(declared.has(name) || isBuiltin(name), `${chunk.name} imports ${name}`);
      }
    }
  });

  for (const [label, node, why] of [
    ["this Node", process.execPath, false],
    ["the Node of the system", old.path ?? "", old.skip],
  ] as const) {
    test(`answers --version, --help and a slip on ${label}`, { skip: why }, () => {
      const manifest = JSON.parse(readFileSync(join(repo, "package.json"), "utf8"));
      const version = runMom(node, "--version");
      assert.deepEqual([version.status, version.stdout, version.stderr], [0, `${manifest.version}\n`, ""]);
      const help = runMom(node, "--help");
      assert.deepEqual([help.status, help.stderr], [0, ""]);
      assert.match(help.stdout, /^Usage: mom \[options\] <data-dir>/);
      const slip = runMom(node, "docter");
      assert.equal(slip.status, 2);
      assert.match(slip.stderr, /Did you mean "doctor"/);
      assert.ok(!existsSync(join(folder, "docter")));
    });
  }

  test("ends quietly when its reader goes away", () => {
    const bin = join(installed, "bin", "mom.js");
    const line = `"${process.execPath}" "${bin}" --help | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { cwd: folder, encoding: "utf8", timeout: 20_000 });
    assert.deepEqual([stdout, stderr], ["0\n", ""]);
  });
});
