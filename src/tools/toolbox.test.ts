import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createClosedDoors } from "../../test/fakes/closed-doors.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createToolWorkspace, textOf } from "../../test/fakes/tool-workspace.ts";
import type { SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionType } from "../contracts/session.ts";
import type { StandingOrder } from "../contracts/standing-order.ts";
import type { NewDelivery, Outbox } from "../contracts/store.ts";
import type { ToolScope, ToolSet } from "../contracts/tool.ts";
import type { ApprovalDesk } from "./approvals/create-approval-desk.ts";
import { toolsConfig } from "./config.ts";
import { createHostTools } from "./host/host-tools.ts";
import { createSharedTools } from "./shared-tools.ts";
import { createToolbox } from "./toolbox.ts";

const channel = { adapter: "cli", channelId: "main" };
const buildScope = (type: SessionType): ToolScope => ({
  session: {
    sessionId: "s" as SessionId,
    sessionKey: "agent:main:main" as SessionKey,
    type,
    agentId: "main",
    createdAt: 0,
    updatedAt: 0,
    channel,
    lastChannel: channel,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    cost: 0,
  },
  turnId: "t1" as TurnId,
  channel,
  adapterType: "cli",
  sender: { id: "U1", username: "ann", isBot: false },
  isAdmin: type === "main",
  model: "mom/offline",
});

async function open(t: TestContext, config: object = {}) {
  const workspace = await createToolWorkspace(t);
  const log = createRecordingLog();
  const posted: NewDelivery[] = [];
  const unused = () => assert.fail("not a tool's business");
  const outbox: Outbox = {
    post: async (deliveries) => void posted.push(...deliveries),
    claim: unused,
    settle: unused,
    noteRepeat: unused,
    nextDueAt: unused,
    get: unused,
    list: unused,
    findPost: unused,
  };
  const orders: StandingOrder[] = [];
  const clock = createFakeClock();
  const parsed = toolsConfig.parse(config);
  const stateDir = join(workspace.dir, "state");
  const shared = createSharedTools({ clock, log, stateDir, environment: {} }, parsed);
  t.after(() => shared.close());
  const desk: ApprovalDesk = {
    pass: async () => ({ type: "pass" }),
    mayHaveRun: async () => true,
    noteOutside: async () => undefined,
    taintOf: async () => undefined,
    copyTaint: unused,
    forgetOutside: unused,
    answer: unused,
    withdraw: unused,
    suggestRules: unused,
    recheck: unused,
  };
  const hostTools = createHostTools({
    dataDir: workspace.dir,
    closedPaths: [],
    roots: [],
    agentFolders: () => [],
    isTaken: () => false,
    isDisabled: () => false,
    exec: unused,
    clock,
    log,
  });
  const toolbox = createToolbox(
    {
      desk,
      hooks: { isHeard: () => false, askTool: unused },
      hostTools,
      shared,
      directory: { adapters: () => [] },
      channelTools: () => [],
      knownChannelTools: [],
      askModel: () => unused,
      executor: workspace.executor,
      outbox,
      doors: createClosedDoors,
      clock,
      log,
      standingOrders: { add: unused, list: async () => orders, remove: unused },
      foldersOf: async ({ channel }) => ({
        cwd: workspace.dir,
        roots: [workspace.dir],
        readOnly: [],
        scratch: `channels/${channel.adapter}/${channel.channelId}/scratch`,
        isShared: false,
        records: [],
      }),
      agentFolders: () => [],
      hiddenPaths: [workspace.hiddenDir],
    },
    { tools: parsed, agents: {}, roots: [], agentTools: () => undefined, modelAliases: {}, hasNetwork: () => true },
  );
  return { workspace, log, posted, toolbox, orders };
}

const run = async (set: ToolSet, name: string, args: Record<string, unknown>) =>
  set.run({ type: "toolCall", id: "call-1", name, arguments: args }, new AbortController().signal, () => undefined);

test("opens the tools of the owner's session and runs each through the gate", async (t) => {
  const { workspace, toolbox, posted } = await open(t);
  const set = await toolbox.open(buildScope("main"));
  const names = set.declarations.map((declaration) => declaration.name);
  const files = ["read", "write", "edit", "apply_patch", "ls", "find", "grep"];
  const others = ["bash", "process", "web_fetch", "browser", "image", "tts", "message", "attach", "cron"];
  const doors = ["sessions_spawn", "session_status"];
  assert.deepEqual(names, [...files, ...others, ...doors], "doors that lead nowhere are not offered");
  assert.equal((await run(set, "write", { path: "a.txt", content: "one" })).isError, false);
  assert.equal((await run(set, "edit", { path: "a.txt", oldText: "one", newText: "two" })).isError, false);
  assert.equal(textOf(await run(set, "read", { path: "a.txt" })), "two");
  assert.equal(textOf(await run(set, "ls", {})), "a.txt");
  assert.equal(textOf(await run(set, "find", { pattern: "*.txt" })), "a.txt");
  assert.equal(textOf(await run(set, "grep", { pattern: "t.o" })), "a.txt:1: two");
  assert.equal(textOf(await run(set, "bash", { command: "cat a.txt" })), "two");
  assert.equal((await run(set, "attach", { path: "a.txt" })).isError, false);
  assert.equal(posted[0]?.id, "t1.call-1.0");
  const ofEffect = (effect: string) => names.filter((name) => set.effectOf({ name, arguments: {} }) === effect);
  assert.deepEqual(ofEffect("read"), ["read", "ls", "find", "grep", "web_fetch", ...doors]);
  assert.deepEqual(ofEffect("write"), ["write", "edit", "apply_patch"]);
  assert.equal(await workspace.get("a.txt"), "two");
});

test("keeps what bash could not show in the chat's scratch folder", async (t) => {
  const { workspace, toolbox } = await open(t);
  const set = await toolbox.open(buildScope("main"));
  await run(set, "bash", { command: "seq 1 2500" });
  assert.match(await workspace.get("channels/cli/main/scratch/output-1.log"), /^1\n2\n/);
});

test("gives a group only tools that look, and enforces it", async (t) => {
  const { toolbox, workspace } = await open(t);
  const set = await toolbox.open(buildScope("group"));
  assert.deepEqual(
    set.declarations.map((declaration) => declaration.name),
    ["read", "ls", "find", "grep", "web_fetch", "session_status"],
  );
  const outcome = await run(set, "bash", { command: "touch pwned" });
  assert.match(textOf(outcome), /not allowed here \(group\/channel\/sender: a group session has/);
  assert.equal(await workspace.operations.stat("pwned"), undefined);
  assert.equal(set.decisions.length, 26);
});

test("closes hidden files to every file tool", async (t) => {
  const { toolbox, workspace } = await open(t);
  await workspace.put("state/auth.json", "secret");
  const set = await toolbox.open(buildScope("dm"));
  for (const [name, args] of [
    ["read", { path: "state/auth.json" }],
    ["ls", { path: "state" }],
    ["find", { pattern: "*", path: "state" }],
    ["grep", { pattern: "secret", path: "state" }],
    ["attach", { path: "state/auth.json" }],
  ] as const) {
    assert.deepEqual((await run(set, name, args)).details, { code: "PATH_REFUSED" }, name);
  }
  assert.equal(textOf(await run(set, "grep", { pattern: "secret" })), "Nothing matches secret.");
});

test("edits of one file wait for each other, also across turns", async (t) => {
  const { toolbox, workspace } = await open(t);
  await workspace.put("list.txt", "end\n");
  const sets = await Promise.all([toolbox.open(buildScope("main")), toolbox.open(buildScope("main"))]);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      run(sets[i % 2] ?? assert.fail(), "edit", { path: "list.txt", oldText: "end", newText: `${i}\nend` }),
    ),
  );
  assert.deepEqual(
    outcomes.filter((outcome) => outcome.isError),
    [],
  );
  assert.equal((await workspace.get("list.txt")).split("\n").length, 22);
});

test("warns once of names in the configuration that mean nothing", async (t) => {
  const { toolbox, log } = await open(t, { deny: ["bsah"] });
  await toolbox.open(buildScope("main"));
  await toolbox.open(buildScope("dm"));
  const warnings = log.lines.filter((line) => line.level === "warn").map((line) => line.text);
  assert.deepEqual(warnings, ['tools.deny: "bsah" means no tool; did you mean "bash"?']);
});

test("declares the tools in little space", async (t) => {
  const { toolbox } = await open(t);
  const { declarations } = await toolbox.open(buildScope("main"));
  const bytes = JSON.stringify(declarations).length;
  assert.ok(bytes < 9000, `${bytes} bytes`);
});

test("an agent's own policy narrows what the house allows, and standing orders take away more", async (t) => {
  const { toolbox, orders } = await open(t);
  const names = async () => (await toolbox.open(buildScope("main"))).declarations.map(({ name }) => name);
  assert.ok((await names()).includes("bash"));
  orders.push({
    id: "r1",
    agentId: "main",
    text: "never use bash",
    denyTools: ["bash"],
    denyRecipients: [],
    by: "cli:me",
    createdAt: 0,
  });
  assert.ok(!(await names()).includes("bash"));
  const set = await toolbox.open(buildScope("main"));
  assert.equal(set.decisions.find(({ name }) => name === "bash")?.removedBy?.layer, "standing orders");
});
