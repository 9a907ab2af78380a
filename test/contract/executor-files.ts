/** The part of the executor contract about paths and files: what may be touched, and how. */
import assert from "node:assert/strict";
import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import type { ExecutorScene } from "./executor-scene.ts";

export function fileTests(scene: ExecutorScene): void {
  describe("paths", () => {
    it("resolves relative and absolute paths, existing or not", async () => {
      assert.equal(await scene.operations.resolve("."), scene.work);
      assert.equal(await scene.operations.resolve("a/../b/new.txt"), join(scene.work, "b/new.txt"));
      assert.equal(await scene.operations.resolve(join(scene.work, "x")), join(scene.work, "x"));
    });

    it("refuses what lies outside, however it is written", async () => {
      for (const path of [
        "..",
        "../outside/secret.txt",
        `${scene.outside}/secret.txt`,
        "/etc/passwd",
        "a/../../outside",
        `${scene.work}-x`,
      ]) {
        await scene.refused(scene.operations.resolve(path));
        await scene.refused(scene.operations.readFile(path));
        await scene.refused(scene.operations.writeFile(path, "x"));
        await scene.refused(scene.operations.mkdir(path));
        await scene.refused(scene.operations.readdir(path));
        await scene.refused(scene.operations.stat(path));
        assert.equal(await scene.operations.access(path, "read"), false);
      }
      assert.equal(await readFile(join(scene.outside, "secret.txt"), "utf8"), "outside");
    });

    it("refuses to leave through links: to a file, a folder, a chain, and to nothing yet", async () => {
      await symlink(join(scene.outside, "secret.txt"), join(scene.work, "file"));
      await symlink(scene.outside, join(scene.work, "folder"));
      await symlink("folder", join(scene.work, "chain"));
      await symlink(join(scene.outside, "new.txt"), join(scene.work, "dangling"));
      await symlink(join(scene.work, "dangling"), join(scene.work, "dangling-chain"));
      for (const path of [
        "file",
        "folder/secret.txt",
        "chain/secret.txt",
        "dangling",
        "dangling-chain",
        "folder/new/x",
      ]) {
        await scene.refused(scene.operations.readFile(path));
        await scene.refused(scene.operations.writeFile(path, "x"));
      }
      await scene.refused(
        scene.operations.glob("*", { root: "folder", limit: 10, signal: new AbortController().signal }),
      );
      await assert.rejects(stat(join(scene.outside, "new.txt")), { code: "ENOENT" });
    });

    it("does not take a folder for its own that is behind a link which a program may have laid", async () => {
      await symlink(scene.outside, join(scene.work, "chat"));
      const chat = join(scene.work, "chat");
      const laid = { roots: [scene.work, chat], agentFolders: [scene.work] };
      const operations = scene.executor.open(scene.scope(laid));
      await scene.refused(operations.readFile("chat/secret.txt"));
      await scene.refused(operations.readFile(join(scene.outside, "secret.txt")));
      const lost = scene.executor.open(scene.scope({ ...laid, cwd: chat }));
      const closed = { code: "FOLDER_LINKED" };
      await assert.rejects(lost.readFile("secret.txt"), closed);
      await assert.rejects(lost.writeFile("new.txt", "x"), closed);
      await assert.rejects(lost.readdir("."), closed);
      await assert.rejects(scene.exec({ command: { shell: "cat secret.txt" } }, lost), closed);
    });

    it("follows links that stay inside", async () => {
      await writeFile(join(scene.work, "real.txt"), "inside");
      await symlink("real.txt", join(scene.work, "alias.txt"));
      assert.equal(Buffer.from(await scene.operations.readFile("alias.txt")).toString(), "inside");
      await scene.operations.writeFile("alias.txt", "changed");
      assert.equal(await readFile(join(scene.work, "real.txt"), "utf8"), "changed");
    });

    it("refuses what is hidden inside a root, also through links, and shows it nowhere", async () => {
      await symlink("state", join(scene.work, "way-in"));
      for (const path of ["state", "state/auth.json", "way-in/auth.json", "state/new.json"]) {
        await scene.refused(scene.operations.readFile(path));
        await scene.refused(scene.operations.writeFile(path, "x"));
      }
      assert.deepEqual(
        await scene.operations.hidden(),
        scene.executor.mode === "bwrap" ? [] : [join(scene.work, "state")],
      );
      const names = (await scene.operations.readdir(".")).map((item) => item.name);
      assert.ok(!names.includes("state"));
      const found = await scene.operations.glob("**/*", { root: ".", limit: 10, signal: new AbortController().signal });
      assert.ok(!found.includes("state/auth.json"));
    });

    it("refuses paths that are none", async () => {
      await symlink("loop", join(scene.work, "loop"));
      for (const path of ["", "a\0b", "loop"]) {
        await assert.rejects(scene.operations.resolve(path), { code: "PATH_INVALID" });
      }
    });
  });

  describe("files", () => {
    it("writes bytes as they are, making folders", async () => {
      await scene.operations.writeFile("deep/er/text.txt", "\uFEFFa\r\nb\n");
      assert.equal(await readFile(join(scene.work, "deep/er/text.txt"), "utf8"), "\uFEFFa\r\nb\n");
      await scene.operations.writeFile("bytes", new Uint8Array([0, 255, 128]));
      assert.deepEqual([...(await scene.operations.readFile("bytes"))], [0, 255, 128]);
    });

    it("replaces a file in one step and keeps its mode", async () => {
      await writeFile(join(scene.work, "script.sh"), "old");
      await chmod(join(scene.work, "script.sh"), 0o775);
      await scene.operations.writeFile("script.sh", "new");
      assert.equal((await stat(join(scene.work, "script.sh"))).mode & 0o777, 0o775);
      assert.deepEqual(
        (await scene.operations.readdir(".")).map((item) => item.name),
        ["script.sh"],
      );
    });

    it("reads a part of a file, also beyond its end", async () => {
      await writeFile(join(scene.work, "text"), "0123456789");
      const part = async (offset: number, maxBytes: number) =>
        Buffer.from(await scene.operations.readFile("text", { offset, maxBytes })).toString();
      assert.equal(await part(2, 3), "234");
      assert.equal(await part(8, 100), "89");
      assert.equal(await part(50, 5), "");
    });

    it("tells files, folders and nothing apart", async () => {
      await writeFile(join(scene.work, "f"), "12345");
      assert.equal((await scene.operations.stat("f"))?.type, "file");
      assert.equal((await scene.operations.stat("f"))?.size, 5);
      assert.equal((await scene.operations.stat("."))?.type, "folder");
      assert.equal(await scene.operations.stat("missing"), undefined);
      assert.equal(await scene.operations.stat("f/below"), undefined);
      assert.equal(await scene.operations.access("f", "read"), true);
      assert.equal(await scene.operations.access("missing", "read"), false);
    });

    it("refuses to read or replace what is not a regular file, without hanging", async () => {
      await scene.shell("mkfifo pipe");
      await scene.operations.mkdir("folder/below");
      for (const path of ["pipe", "folder"]) {
        await assert.rejects(scene.operations.readFile(path), { code: "FILE_NOT_REGULAR" });
        await assert.rejects(scene.operations.writeFile(path, "x"), { code: "FILE_NOT_REGULAR" });
      }
      await assert.rejects(scene.operations.readFile("missing"), { code: "FILE_NOT_FOUND" });
      await assert.rejects(scene.operations.readdir("missing"), { code: "FILE_NOT_FOUND" });
    });

    it("lists a folder with types", async () => {
      await writeFile(join(scene.work, "f"), "");
      await scene.operations.mkdir("d");
      await symlink("f", join(scene.work, "l"));
      const items = (await scene.operations.readdir(".")).sort((a, b) => a.name.localeCompare(b.name));
      assert.deepEqual(items, [
        { name: "d", type: "folder" },
        { name: "f", type: "file" },
        { name: "l", type: "link" },
      ]);
    });

    it("tells images by their content", async () => {
      await writeFile(join(scene.work, "a.txt"), Buffer.from("89504e470d0a1a0a0000", "hex"));
      await writeFile(join(scene.work, "b.png"), "not an image");
      await writeFile(join(scene.work, "c"), "RIFF0000WEBPVP8 ");
      assert.equal(await scene.operations.imageType("a.txt"), "image/png");
      assert.equal(await scene.operations.imageType("b.png"), undefined);
      assert.equal(await scene.operations.imageType("c"), "image/webp");
    });
  });

  describe("glob", () => {
    const glob = (pattern: string, limit = 100, root = ".") =>
      scene.operations.glob(pattern, { root, limit, signal: new AbortController().signal });
    beforeEach(async () => {
      for (const path of ["a.ts", "src/b.ts", "src/deep/c.ts", "src/d.md", "logs/x.log", ".config/e.ts", "-dash.ts"]) {
        await scene.operations.writeFile(path, "");
      }
      await scene.operations.writeFile(".gitignore", "*.log\n");
    });

    it("finds files by pattern, in order, relative to the root", async () => {
      assert.deepEqual(await glob("*.ts"), ["-dash.ts", ".config/e.ts", "a.ts", "src/b.ts", "src/deep/c.ts"]);
      assert.deepEqual(await glob("src/*.ts"), ["src/b.ts"]);
      assert.deepEqual(await glob("**/*.{ts,md}", 100, "src"), ["b.ts", "d.md", "deep/c.ts"]);
    });

    it("respects ignore files whatever the pattern", async () => {
      assert.deepEqual(await glob("*.log"), []);
      assert.ok(!(await glob("**")).includes("logs/x.log"));
    });

    it("stops at the limit, takes patterns for patterns only, and refuses a root that is not there", async () => {
      assert.deepEqual(await glob("*.ts", 2), ["-dash.ts", ".config/e.ts"]);
      assert.deepEqual(await glob("--pre=touch"), []);
      await assert.rejects(glob("*", 10, "missing"));
    });

    it("ends soon after an abort", async () => {
      await assert.rejects(scene.operations.glob("*", { root: ".", limit: 10, signal: AbortSignal.abort() }), {
        code: "ABORTED",
      });
    });
  });
}
