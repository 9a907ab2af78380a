/** Nothing that an agent or another user can write ever becomes code of mom's, whichever way it is linked or imported. */
import assert from "node:assert/strict";
import { chmod, chown, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { createHostToolScene, type HostToolScene, plainTool } from "../../../test/fakes/host-tool-scene.ts";
import { findTools } from "./find-tools.ts";

let scene: HostToolScene;
beforeEach(async () => {
  scene = await createHostToolScene();
});
afterEach(() => scene.close());

const inAgentFolder = /lies in a folder that the agent can write/;
const ofOthers = /can be written by others/;
const importing = (path: string) => `import "${path}";\n${plainTool("t", "loaded")}`;
/** `at` is relative to the tool's folder. */
const link = async (target: string, at: string) => {
  await mkdir(join(scene.dataDir, "tools/t"), { recursive: true });
  await symlink(join(scene.base, target), join(scene.dataDir, "tools/t", at));
};
/** The one tool was refused for this reason. */
const assertRefused = async (reason: RegExp) => {
  await scene.refresh();
  assert.deepEqual(scene.names(), []);
  assert.equal(scene.problems().length, 1, scene.problems().join("\n"));
  assert.match(scene.problems()[0] ?? "", reason);
};

it("refuses an index that is a link into a workspace", async () => {
  await scene.write("data/workspace/idx.ts", plainTool("t", "evil"));
  await link("data/workspace/idx.ts", "index.ts");
  await assertRefused(inAgentFolder);
});

it("refuses a tool with a linked folder or file in a workspace, imported or not", async () => {
  await scene.write("data/tools/t/index.ts", plainTool("t", "loaded"));
  await scene.write("data/workspace/lib/evil.ts", "");
  await link("data/workspace/lib", "lib");
  await assertRefused(inAgentFolder);
  await rm(join(scene.dataDir, "tools/t/lib"));
  await link("data/workspace/lib/evil.ts", "evil.ts");
  await assertRefused(inAgentFolder);
});

it("refuses a tool that has a folder of an agent in it", async () => {
  await scene.close();
  const folders: string[] = [];
  scene = await createHostToolScene({ agentFolders: () => folders });
  folders.push(join(scene.dataDir, "tools/t/notes"));
  await scene.write("data/tools/t/index.ts", plainTool("t", "loaded"));
  await scene.write("data/tools/t/notes/a.md", "");
  await assertRefused(inAgentFolder);
});

it("refuses what is imported from a workspace: by path, by package, through a link of a link, by require", async () => {
  await scene.write("data/workspace/evil.ts", "export {};");
  await scene.write("data/workspace/pkg/package.json", '{ "name": "pkg", "main": "i.js" }');
  await scene.write("data/workspace/pkg/i.js", "module.exports = 1;");
  await scene.write("data/tools/t/index.ts", importing("../../workspace/evil.ts"));
  await assertRefused(inAgentFolder);

  await mkdir(join(scene.dataDir, "tools/t/node_modules"));
  await link("data/workspace/pkg", "node_modules/pkg");
  await scene.write("data/tools/t/index.ts", importing("pkg"));
  await assertRefused(inAgentFolder);

  await scene.write("shared/way.ts", 'import "./lib/evil.ts";');
  await symlink(join(scene.dataDir, "workspace"), join(scene.base, "shared/lib"));
  await link("shared", "shared");
  await scene.write("data/tools/t/index.ts", importing("./shared/way.ts"));
  await assertRefused(inAgentFolder);

  await scene.write("data/tools/t/node_modules/own/package.json", '{ "name": "own", "main": "i.cjs" }');
  await scene.write("data/tools/t/node_modules/own/i.cjs", 'require("pkg");');
  await scene.write("data/tools/t/index.ts", importing("own"));
  await assertRefused(inAgentFolder);
});

it("refuses what others can write: files, packages, and the folders around tools", async () => {
  await scene.write("data/tools/t/node_modules/own/package.json", '{ "name": "own", "main": "i.js" }');
  const file = await scene.write("data/tools/t/node_modules/own/i.js", "module.exports = 1;");
  await scene.write("data/tools/t/index.ts", importing("own"));
  await chmod(file, 0o664);
  await assertRefused(ofOthers);
  await chmod(file, 0o644);
  await chmod(join(scene.dataDir, "tools"), 0o777);
  await assertRefused(ofOthers);
  await chmod(join(scene.dataDir, "tools"), 0o755);
  await scene.write("data/tools/t/index.ts", `${importing("own")} // mended`);
  await scene.refresh();
  assert.deepEqual([scene.names(), scene.problems()], [["t"], []]);
});

it("refuses a package of another user", { skip: process.getuid?.() !== 0 }, async () => {
  await scene.write("data/tools/t/node_modules/own/package.json", '{ "name": "own", "main": "i.js" }');
  await chown(await scene.write("data/tools/t/node_modules/own/i.js", ""), 12_345, 12_345);
  await scene.write("data/tools/t/index.ts", importing("own"));
  await assertRefused(/belongs to another user \(12345\)/);
});

it("takes links of the operator's own, with mom's names in what they lead to, and loads them anew after an edit", async () => {
  const write = (text: string) =>
    scene.write("shared/way.ts", `import { Type } from "typebox"; export const said = Type ? "${text}" : "";`);
  await write("one");
  await link("shared", "shared");
  await link("nowhere", "dangling.ts");
  const index = (remark: string) =>
    `import { said } from "./shared/way.ts"; // ${remark}\n${plainTool("t", "").replace('=> ""', "=> said")}`;
  await scene.write("data/tools/t/index.ts", index("first"));
  await scene.refresh();
  assert.deepEqual([scene.names(), scene.problems()], [["t"], []]);
  assert.equal(await scene.invoke("t"), "one");
  await write("two");
  await scene.write("data/tools/t/index.ts", index("edited"));
  await scene.refresh();
  assert.equal(await scene.invoke("t"), "two");
});

it("comes to an end where links go round", async () => {
  await scene.write("data/tools/deep/t/index.ts", plainTool("t", ""));
  for (const name of ["a", "b", "c"])
    await symlink(join(scene.dataDir, "tools"), join(scene.dataDir, "tools/deep", name));
  const { tools } = await findTools([join(scene.dataDir, "tools")], []);
  assert.deepEqual(
    tools.map(({ folder }) => folder),
    [join(scene.dataDir, "tools/deep/t")],
  );
});
