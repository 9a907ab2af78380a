/** Custom tools as their authors write them: loaded, called, replaced, stopped; broken ones named. */
import assert from "node:assert/strict";
import { chmod, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createHostToolScene, type HostToolScene, plainTool as plain } from "../../../test/fakes/host-tool-scene.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { HostTools } from "./host-tools.ts";
import { createInvokeTool } from "./invoke-tool.ts";

let scene: HostToolScene;
let dataDir: string;
let hostTools: HostTools;
beforeEach(async () => {
  scene = await createHostToolScene();
  ({ dataDir, hostTools } = scene);
});
afterEach(() => scene.close());

const write = (path: string, text: string) => scene.write(path, text);
const refresh = () => scene.refresh();
const names = () => scene.names();
const problems = () => scene.problems();
const invoke: HostToolScene["invoke"] = (...call) => scene.invoke(...call);

describe("as in the design", () => {
  beforeEach(async () => {
    await write(
      "data/tools/lamps/node_modules/colour-names/package.json",
      '{ "name": "colour-names", "main": "i.js" }',
    );
    await write("data/tools/lamps/node_modules/colour-names/i.js", 'module.exports = { red: "#f00" };');
    await write("data/tools/lamps/rooms.ts", 'export const rooms: readonly string[] = ["hall", "attic"];');
    await write(
      "data/tools/lamps/index.ts",
      `import { writeFileSync } from "node:fs";
       import type { MomCustomTool, ToolAPI } from "@mariozechner/pi-mom";
       import { StringEnum } from "@mariozechner/pi-ai";
       import { Type, Static, TSchema } from "@sinclair/typebox";
       import colours from "colour-names";
       import { rooms } from "./rooms.ts";
       const parameters = Type.Object({ room: StringEnum(rooms), level: Type.Integer({ minimum: 0, maximum: 100 }) });
       export default (api: ToolAPI): MomCustomTool<typeof parameters> => ({
         name: "lamps", description: "Sets a lamp.", parameters, outside: false,
         async execute(id, { room, level }: Static<typeof parameters>, signal) {
           await api.writeFile("lamps.txt", room + "=" + level);
           const ran = await api.exec("light", [room]);
           return { content: [{ type: "text", text: id + " " + ran.stdout + " " + colours.red }], details: { level } };
         },
         onStart() { writeFileSync(api.dataDir + "/started", "yes"); },
         onStop() { writeFileSync(api.dataDir + "/stopped", "yes"); },
       });`,
    );
  });

  it("loads, runs, is replaced by an edit of any of its files, and is stopped", async () => {
    await refresh();
    assert.deepEqual([names(), problems()], [["lamps"], []]);
    assert.equal(await readFile(join(dataDir, "started"), "utf8"), "yes");
    assert.equal(await invoke("lamps", { room: "hall", level: "40" }), "call-1 light|hall #f00");
    assert.equal(await readFile(join(dataDir, "lamps.txt"), "utf8"), "hall=40");
    await assert.rejects(invoke("lamps", { room: "cellar", level: 1 }), { code: "HOST_TOOL_ARGUMENTS" });

    await write("data/tools/lamps/rooms.ts", 'export const rooms: readonly string[] = ["cellar"];');
    await refresh();
    assert.equal(await readFile(join(dataDir, "stopped"), "utf8"), "yes");
    assert.equal(await invoke("lamps", { room: "cellar", level: 1 }), "call-1 light|cellar #f00");

    await rm(join(dataDir, "stopped"));
    await rm(join(dataDir, "tools", "lamps"), { recursive: true });
    await refresh();
    assert.equal(await readFile(join(dataDir, "stopped"), "utf8"), "yes");
    await assert.rejects(invoke("lamps"), { code: "HOST_TOOL_UNKNOWN" });
  });

  it("keeps what worked when an edit is broken, and takes the mended one", async () => {
    await refresh();
    await write("data/tools/lamps/rooms.ts", "export const rooms = [");
    await refresh();
    assert.match(problems()[0] ?? "", /rooms\.ts|Expression expected|Unexpected|parse/i);
    assert.equal(await invoke("lamps", { room: "hall", level: 1 }), "call-1 light|hall #f00");
    await write("data/tools/lamps/rooms.ts", 'export const rooms = ["hall"];');
    await refresh();
    assert.deepEqual([names(), problems()], [["lamps"], []]);
  });
});

it("takes objects, factories, lists and deep folders of both places, and the other names of mom", async () => {
  await write("data/tools/a/index.mjs", plain("a", "A"));
  await write(
    "data/tools/deep/er/b/index.ts",
    `export default () => [${plain("b1", "1").slice(15, -1)}, ${plain("b2", "2").slice(15, -1)}];`,
  );
  await write(
    "home/.pi/mom/tools/c/index.ts",
    `import { Type } from "@earendil-works/pi-ai"; import * as T from "typebox"; import type { ToolAPI } from "mom";
    export default async (_: ToolAPI) => ({ name: "c", description: "C.", outside: false, parameters: Type.Object({ n: T.Optional(T.Number()) }), execute: () => ({ n: 1 }) });`,
  );
  await write("data/tools/node_modules/x/index.ts", plain("x", "x"));
  await write("data/tools/.hidden/index.ts", plain("y", "y"));
  await refresh();
  assert.deepEqual(names(), ["a", "b1", "b2", "c"]);
  assert.equal(await invoke("b2"), "2");
  assert.equal(await invoke("c"), '{\n  "n": 1\n}');
});

it("names what is broken and goes on with the rest", async () => {
  await write("data/tools/a-fine/index.ts", plain("fine", "ok"));
  const broken: Record<string, [string, RegExp]> = {
    nothing: ["export const x = 1;", /neither a tool nor a factory/],
    native: [plain("bash", ""), /one of mom's own/],
    twin: [plain("fine", ""), /Another custom tool is called "fine"/],
    badname: [plain("Bad Name", ""), /lower-case/],
    noschema: ['export default { name: "n", description: "d", parameters: {}, execute() {} };', /schema of an object/],
    noexec: ['export default { name: "n", description: "d", parameters: { type: "object" } };', /no execute/],
    throws: ['throw new Error("no lamp found");', /no lamp found/],
    start: [plain("start", "", 'onStart() { throw new Error("port in use"); }'), /port in use/],
    missing: ['import "not-installed-anywhere"; export default {};', /not-installed-anywhere/],
  };
  for (const [name, [text]] of Object.entries(broken)) await write(`data/tools/b-${name}/index.ts`, text);
  await refresh();
  assert.deepEqual(names(), ["fine"]);
  for (const [name, [, pattern]] of Object.entries(broken)) {
    const problem = hostTools.problems().find(({ path }) => path.endsWith(`b-${name}`));
    assert.match(problem?.message ?? "", pattern, name);
  }
});

it("gives up on one that never comes to be ready", async () => {
  await write("data/tools/slow/index.ts", plain("slow", "", "onStart: () => new Promise(() => {})"));
  await scene.clock.advance(1001);
  const looking = hostTools.refresh();
  while (problems().length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    await scene.clock.advance(500);
  }
  await looking;
  assert.match(problems()[0] ?? "", /did not end within 10 s/);
});

it("loads nothing that others can write, and nothing from a folder of the agent", async () => {
  await write("data/tools/open/index.ts", plain("open", ""));
  await chmod(join(dataDir, "tools/open/index.ts"), 0o666);
  await write("data/workspace/evil/index.ts", plain("evil", ""));
  await symlink(join(dataDir, "workspace/evil"), join(dataDir, "tools/evil"));
  await refresh();
  assert.deepEqual(names(), []);
  assert.match(problems().join("\n"), /chmod -R go-w/);
  assert.match(problems().join("\n"), /folder that the agent can write/);
});

it("confines readFile and writeFile to the data directory, less what is mom's own", async () => {
  await write("data/notes.txt", "mine");
  await write("data/config.json", "secret");
  await write("data/state/mom.db", "secret");
  await symlink("/etc", join(dataDir, "way-out"));
  await write(
    "data/tools/files/index.ts",
    `export default (api) => ({ name: "files", description: "Files.", outside: false, parameters: { type: "object" },
       execute: (_, { read, write }) => read ? api.readFile(read) : api.writeFile(write, "x") });`,
  );
  await refresh();
  assert.equal(await invoke("files", { read: "notes.txt" }), "mine");
  for (const path of ["config.json", "state/mom.db", "../x", "/etc/passwd", "way-out/passwd", "state/../config.json"]) {
    await assert.rejects(invoke("files", { read: path }), { code: "HOST_TOOL_PATH" }, path);
    await assert.rejects(invoke("files", { write: path }), { code: "HOST_TOOL_PATH" }, path);
  }
  await invoke("files", { write: "new/deep.txt" });
  assert.equal(await readFile(join(dataDir, "new/deep.txt"), "utf8"), "x");
});

it("ends a call by time and by signal, and survives what tools throw or give", async () => {
  await write(
    "data/tools/odd/index.ts",
    `export default { name: "odd", description: "Odd.", outside: false, parameters: { type: "object" }, execute(_, { how }) {
       if (how === "hang") return new Promise(() => {});
       if (how === "throw") throw "just text";
       if (how === "loop") { const a = {}; a.a = a; return a; }
       if (how === "long") return "line\\n".repeat(5000);
       return undefined; } };`,
  );
  await refresh();
  await assert.rejects(invoke("odd", { how: "hang" }, 50), { code: "HOST_TOOL_TIMED_OUT" });
  await assert.rejects(invoke("odd", { how: "throw" }));
  await assert.rejects(invoke("odd", { how: "loop" }), /circular/i);
  assert.match(await invoke("odd", { how: "long" }), /2000 of 500[01] lines/);
  assert.equal(await invoke("odd"), "(done)");
  const stop = new AbortController();
  const door = createInvokeTool({ hostTools, clock: createSystemClock(), timeoutMs: 5000 });
  const running = door.execute("c", { tool: "odd", args: { how: "hang" } }, stop.signal, () => undefined);
  stop.abort();
  await assert.rejects(running, { code: "ABORTED" });
  await assert.rejects(invoke("od"), /Did you mean "odd"/);
});
