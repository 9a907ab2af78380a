/** `mom tools list` as people use it: what is allowed, what removed the rest, and why. */
import assert from "node:assert/strict";
import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { keepCustomTools } from "../../app/custom-tools.ts";
import type { TurnId } from "../../contracts/ids.ts";
import { buildRoute } from "../../sessions/index.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { buildToolsCommand } from "./tools.ts";

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ tools: buildToolsCommand });
  await mkdir(world.dataDir);
  await configure({});
});
afterEach(() => world.close());

const configure = (config: object) =>
  writeFile(join(world.dataDir, "config.json"), JSON.stringify({ sandbox: { mode: "host" }, ...config }));
const run = (...args: string[]) => world.run(["tools", "list", ...args]);
const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).out);
const allowed = async (...args: string[]): Promise<string[]> =>
  (await json(...args)).tools.flatMap(({ name, allowed }: { name: string; allowed: boolean }) =>
    allowed ? [name] : [],
  );

const openOwn = () =>
  openStore({
    layout: buildLayout(world.dataDir),
    clock: createFakeClock(),
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });

/** Mom was started once, and somebody wrote in a group. */
async function fillStore(): Promise<void> {
  const channel = { adapter: "work", channelId: "C1" };
  const store = await openOwn();
  await store.sessions.open(buildRoute("main", { type: "group", channel }, channel));
  const order = { agentId: "main", text: "never use cron", denyTools: ["cron"], denyRecipients: [], by: "cli:me" };
  await store.standingOrders.add(order, "t1" as TurnId);
  await store.close();
}

async function putTool(name: string): Promise<string> {
  const folder = join(world.dataDir, "tools", name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.ts"), "throw new Error('must not be loaded');");
  return realpath(folder);
}

/** Mom has run with these custom tools, each in a folder of its name. */
async function keepTools(...names: string[]): Promise<void> {
  const tools = await Promise.all(
    names.map(async (name) => ({ name, description: `Does\n${name}.`, path: await putTool(name) })),
  );
  const store = await openOwn();
  await keepCustomTools(store.kv, tools);
  await store.close();
}

describe("a list", () => {
  test("shows every tool of the owner's session where mom was never started", async () => {
    const { code, out, err } = await run();
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^TOOL +GROUP +ALLOWED +REMOVED BY$/m);
    assert.match(out, /^bash +runtime +yes$/m);
    assert.match(out, /^(\d+) of \1 tools are allowed in a main session of main, with mom\/offline\.$/m);
  });

  test("names layer and rule of what is removed", async () => {
    await configure({ tools: { deny: ["exec"], profile: "coding" } });
    const { out } = await run();
    assert.match(out, /^bash +runtime +no +global: denied by "exec" in tools\.deny$/m);
    assert.match(out, /^cron +automation +no +profile: not in "coding", which is tools\.profile$/m);
  });

  test("answers for other kinds of sessions", async () => {
    const group = await allowed("--session", "group");
    assert.ok(group.includes("read") && !group.includes("bash") && !group.includes("attach"));
    assert.ok((await allowed("--session", "dm")).includes("attach"));
    assert.ok(!(await allowed("--session", "subagent")).includes("cron"));
  });

  test("answers for a chat, a person and a model", async () => {
    await configure({
      adapters: { term: { type: "cli" } },
      tools: {
        byChannel: { "term/C1": { deny: ["bash"] } },
        bySender: { "cli:U1": { deny: ["write"] } },
        byProvider: { openai: { deny: ["edit"] } },
        byModel: { quick: { deny: ["grep"] } },
      },
      models: { aliases: { quick: "openai/gpt-x" } },
    });
    const lost = async (...args: string[]) => {
      const left = await allowed(...args);
      return ["bash", "write", "edit", "grep"].filter((name) => !left.includes(name)).join(" ");
    };
    assert.equal(await lost(), "");
    assert.equal(await lost("--channel", "term"), "");
    assert.equal(await lost("--channel", "term/C1"), "bash");
    assert.equal(await lost("--channel", "term/C1", "--sender", "U1"), "bash write");
    assert.equal(await lost("--model", "openai/gpt-y"), "edit");
    assert.equal(await lost("--model", "openai/gpt-x"), "edit grep");
  });

  test("answers for a session that there is, with the owner's standing orders", async () => {
    await fillStore();
    const answer = await json("--session", "agent:main:group:work:C1");
    assert.deepEqual(answer.session, { type: "group", agentId: "main" });
    assert.deepEqual(answer.channel, { adapter: "work", channelId: "C1" });
    assert.match((await run()).out, /^cron +automation +no +standing orders: .*never use cron/m);
  });

  test("warns of names that mean nothing", async () => {
    await configure({ tools: { deny: ["bsah"] }, agents: { main: { tools: { allow: ["raed"] } } } });
    const { code, err } = await run();
    assert.equal(code, 0);
    assert.equal(
      err,
      'mom: warning: tools.deny: "bsah" means no tool; did you mean "bash"?\n' +
        'mom: warning: agents.main.tools.allow: "raed" means no tool; did you mean "read"?\n',
    );
    assert.equal((await json()).warnings.length, 2);
  });

  test("says how many custom tools there are, without running any", async () => {
    await putTool("weather");
    const { code, err } = await run();
    assert.deepEqual([code, (await json()).customTools], [0, 1]);
    assert.match(err, /1 custom tool is not listed: .*group:host/);
  });

  test("lists the custom tools that mom had loaded, as policy has them, while their folders are there", async () => {
    await keepTools("weather", "lamps", "radio", "old");
    await rm(join(world.dataDir, "tools", "old"), { recursive: true });
    await configure({ tools: { deny: ["lamps", "old"], host: { disabled: ["radio"] } } });
    const { out, err } = await run();
    assert.equal(err, 'mom: warning: tools.deny: "old" means no tool\n');
    assert.match(out, /^weather +host +yes$/m);
    assert.match(out, /^lamps +host +no +global: denied by "lamps" in tools\.deny$/m);
    assert.match(out, /^radio +host +no +custom tools: it is in tools\.host\.disabled$/m);
    assert.doesNotMatch(out, /^old /m);
    const group = await run("--session", "group");
    assert.match(group.out, /^weather +host +no /m);
    assert.equal((await json()).customTools, 0);
  });

  test("does not call a name wrong that a custom tool may have", async () => {
    await keepTools("weather");
    await putTool("new");
    await configure({ tools: { deny: ["weather", "lamps", "group:fss"] } });
    assert.deepEqual((await json()).warnings, [
      'tools.deny: "lamps" means no tool, unless a custom tool is called so',
      'tools.deny: "group:fss" means no tool; did you mean "group:fs"?',
    ]);
  });

  test("names the sandbox that cannot be had", async () => {
    await configure({ sandbox: { mode: "docker", docker: { container: "mom-no-such-container" } } });
    const { out } = await run();
    assert.match(
      out,
      /^bash +runtime +no +sandbox: it works on this machine, and the sandbox "docker" cannot be had: /m,
    );
    assert.match(out, /^cron +automation +yes$/m);
  });

  test("refuses what it cannot answer", async () => {
    const cases: [args: string[], code: number, error: RegExp][] = [
      [["--session", "grup"], 1, /SESSION_UNKNOWN/],
      [["--channel", "nowhere/C1"], 2, /UNKNOWN_ADAPTER/],
      [["--why", "bsah"], 2, /Did you mean bash\?\s+code: TOOL_UNKNOWN/],
    ];
    for (const [args, code, error] of cases) {
      const result = await run(...args);
      assert.deepEqual([result.code, result.out], [code, ""], args.join(" "));
      assert.match(result.err, error);
    }
  });

  test("says when no model answers", async () => {
    const { err } = await run("--model", "nosuch");
    assert.match(err, /nosuch.*Rules for providers and models are left out\./);
  });
});

describe("why", () => {
  test("explains one tool by any of its names, layer by layer", async () => {
    await configure({ tools: { deny: ["bash"] } });
    const { code, out } = await run("--session", "group", "--why", "exec");
    assert.equal(code, 0);
    const lines = out.split("\n");
    assert.equal(lines[0], "bash (group:runtime) is removed (global) in a group session of main, with mom/offline.");
    assert.match(out, /^ 1 profile +kept$/m);
    assert.match(out, /^ 4 global +removed: denied by "bash" in tools\.deny$/m);
    assert.match(out, /^ 5 agent +not asked$/m);
    assert.match(out, /^ 6 group\/channel\/sender +not asked \(would remove it too: a group session has read, /m);
    assert.match(out, /^10 standing orders +not asked$/m);
  });

  test("as JSON, for a tool that is allowed", async () => {
    const { tool } = await json("--why", "read");
    assert.deepEqual([tool.name, tool.allowed, tool.layers.length], ["read", true, 10]);
    assert.ok(tool.layers.every(({ verdict }: { verdict: string }) => verdict === "kept"));
  });

  test("of a custom tool that mom had loaded says what it is and where", async () => {
    await keepTools("weather");
    const { code, out, err } = await run("--why", "Weather");
    assert.deepEqual([code, err], [0, ""]);
    assert.match(
      out,
      /^weather \(group:host\) is allowed in a main session.*\nDoes weather\. \(.*\/tools\/weather\)\n/,
    );
    assert.match(out, /^11 custom tools +kept$/m);
    assert.equal((await run("--why", "wether")).code, 2, "every custom tool is known, and none is called so");
  });

  test("of an unknown name is told as of a custom tool, where there are some that nobody has loaded", async () => {
    await putTool("new");
    await configure({ tools: { deny: ["bsah"] } });
    const { code, out, err } = await run("--why", "bsah");
    assert.equal(code, 0);
    assert.match(out, /^bsah \(group:host\) is removed \(global\)/);
    assert.match(err, /No tool "bsah" is known; this holds for a custom tool of that name\. Did you mean bash\?/);
    assert.equal((await json("--why", "bsah")).isGuess, true);
    for (const name of ["canvas", "not a name"]) assert.equal((await run("--why", name)).code, 2, name);
  });
});
