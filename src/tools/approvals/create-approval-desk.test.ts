/** The desk on a real store: who is asked what and where, and what an answer lets through, also late, twice and after a restart. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFakeClock, type FakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { Approval } from "../../contracts/approval.ts";
import type { ApprovalId, SessionId, SessionKey, TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { SessionType } from "../../contracts/session.ts";
import type { Store } from "../../contracts/store.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { buildLayout, openStore } from "../../store/index.ts";
import { type ApprovalDesk, createApprovalDesk } from "./create-approval-desk.ts";
import type { ApprovalPolicy } from "./decide.ts";

const chat: ChannelRef = { adapter: "slack", channelId: "C1" };
const ownerChat: ChannelRef = { adapter: "slack", channelId: "D9" };
const never = new AbortController().signal;

function buildScope(type: SessionType = "main", more: Partial<ToolScope> = {}): ToolScope {
  return {
    session: {
      sessionId: "life-1" as SessionId,
      sessionKey: `agent:main:${type}` as SessionKey,
      type,
      agentId: "main",
      createdAt: 0,
      updatedAt: 0,
      channel: chat,
      lastChannel: chat,
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      cost: 0,
    },
    turnId: "t1" as TurnId,
    channel: chat,
    adapterType: "slack",
    sender: { id: "U1", username: "ann", isBot: false },
    isAdmin: type === "main",
    model: "lab/m",
    ...more,
  };
}

/** Where the fake `bash` would run what it is given. */
interface Place {
  cwd: string;
  env: Record<string, string>;
  isOutward: boolean;
  isConfined: boolean;
}

function createBash(place: Place): Tool {
  return {
    name: "bash",
    label: "Bash",
    description: "",
    parameters: {},
    effect: "external",
    describe: () => "bash",
    isOutward: () => place.isOutward,
    async approvalSubject(params) {
      const { command } = params as { command: string };
      const { cwd, env } = place;
      return { tool: "bash", text: `${command}\nin ${cwd}`, exact: { argv: ["bash", "-c", command], cwd, env } };
    },
    execute: () => Promise.reject(new Error("the desk runs nothing")),
  };
}

interface World {
  store: Store;
  desk: ApprovalDesk;
  clock: FakeClock;
  policy: ApprovalPolicy;
  place: Place;
  asked: Approval[];
  /** A new process on the same data. */
  restart(): Promise<void>;
  openGuest(): Promise<Store>;
  run(
    command: string,
    options?: { scope?: ToolScope; id?: string; signal?: AbortSignal },
  ): ReturnType<ApprovalDesk["pass"]>;
  /** Everything posted so far, as `channel: text`. */
  posts(): Promise<string[]>;
  /** The question that a call which was just started waits with. */
  waitAsked(count?: number): Promise<Approval>;
}

async function createWorld(context: TestContext, policy: Partial<ApprovalPolicy> = {}): Promise<World> {
  const { dir } = await createTempFolder(context);
  const clock = createFakeClock();
  const open = (role: "owner" | "guest") =>
    openStore({ layout: buildLayout(dir), clock, log: silentLog, role, routesOf: () => [] });
  const openDesk = (store: Store) =>
    createApprovalDesk({
      approvals: store.approvals,
      kv: store.kv,
      outbox: store.outbox,
      clock,
      log: silentLog,
      render: ({ channelId }, markdown) => (channelId === "gone" ? undefined : [markdown]),
      ownerChat: async (agentId) => (agentId === "main" ? ownerChat : undefined),
      isConfined: () => world.place.isConfined,
      findProgram: async (name) => (/^[a-z0-9]+$/.test(name) ? `/usr/bin/${name}` : undefined),
      policyOf: () => world.policy,
    });
  const store = await open("owner");
  const world: World = {
    store,
    desk: openDesk(store),
    clock,
    policy: { exec: "ask", isMarked: false, untrusted: "ask", timeoutMs: 300_000, ...policy },
    place: { cwd: "/w", env: {}, isOutward: false, isConfined: true },
    asked: [],
    async restart() {
      await world.store.close();
      world.store = await open("owner");
      world.desk = openDesk(world.store);
      world.asked.length = 0;
    },
    async openGuest() {
      const guest = await open("guest");
      context.after(() => guest.close());
      return guest;
    },
    run(command, { scope = buildScope(), id = "c1", signal = never } = {}) {
      return world.desk.pass({
        call: { type: "toolCall", id, name: "bash", arguments: { command } },
        tool: createBash(world.place),
        params: { command },
        scope,
        signal,
        onApproval: (approval) => void world.asked.push(approval),
      });
    },
    posts: async () =>
      (await world.store.outbox.list({ limit: 99 })).map(
        ({ channel, body }) => `${channel.channelId}: ${body.type === "text" ? body.text : body.type}`,
      ),
    async waitAsked(count = 1) {
      for (let round = 0; world.asked.length < count; round++) {
        assert.ok(round < 1000, "nothing was asked");
        await new Promise((resolve) => setImmediate(resolve));
      }
      const approval = world.asked.at(-1);
      assert.ok(approval);
      return approval;
    },
  };
  context.after(() => world.store.close());
  return world;
}

const passed = { type: "pass" };
const codeOf = (result: Awaited<ReturnType<ApprovalDesk["pass"]>>) => (result.type === "refused" ? result.code : "");

test("what policy lets run leaves no trace, what it forbids asks nobody", async (context) => {
  const world = await createWorld(context, { exec: "full" });
  assert.deepEqual(await world.run("rm -rf x"), passed);
  world.policy.exec = "deny";
  assert.equal(codeOf(await world.run("ls")), "EXEC_DENIED");
  world.policy.exec = "allowlist";
  assert.equal(codeOf(await world.run("ls")), "EXEC_NOT_LISTED");
  assert.deepEqual(await world.store.approvals.list({ limit: 9 }), []);
  assert.deepEqual(await world.posts(), []);
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c1"), true);
});

test("a yes lets exactly this call through, once", async (context) => {
  const world = await createWorld(context);
  const running = world.run("ls -l notes");
  const { id } = await world.waitAsked();
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c1"), false, "it waits");
  assert.equal((await world.desk.answer(id, "once", "slack:U1")).type, "answered");
  assert.deepEqual(await running, passed);
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c1"), true);
  assert.equal((await world.store.approvals.get(id))?.state, "used");
  assert.equal(codeOf(await world.run("ls -l notes")), "APPROVAL_USED");
  assert.equal((await world.desk.answer(id, "deny", "slack:U1")).type, "late", "pressed twice");
  assert.equal(codeOf(await world.run("ls -l other")), "APPROVAL_CHANGED", "another call with the same id");
});

test("a no and a silence are both no", async (context) => {
  const world = await createWorld(context);
  const first = world.run("ls", { id: "c1" });
  await world.desk.answer((await world.waitAsked()).id, "deny", "slack:U1");
  assert.equal(codeOf(await first), "APPROVAL_DENIED");
  const second = world.run("ls", { id: "c2" });
  const { id } = await world.waitAsked(2);
  await world.clock.advance(299_999);
  assert.equal((await world.store.approvals.get(id))?.state, "pending");
  await world.clock.advance(1);
  assert.equal(codeOf(await second), "APPROVAL_EXPIRED");
  const late = await world.desk.answer(id, "once", "slack:U1");
  assert.deepEqual([late.type, late.type === "late" && late.approval.state], ["late", "expired"]);
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c2"), false);
  assert.equal(world.clock.pending, 0, "no timer is left behind");
});

test("an answer of another process counts, when it is told of and when it is not", async (context) => {
  const world = await createWorld(context);
  const guest = await world.openGuest();
  const first = world.run("ls", { id: "c1" });
  const { id } = await world.waitAsked();
  await guest.approvals.answer(id, "once", "cli:ann");
  world.desk.recheck();
  assert.deepEqual(await first, passed);
  const second = world.run("ls", { id: "c2" });
  await guest.approvals.answer((await world.waitAsked(2)).id, "deny", "cli:ann");
  await world.clock.advance(5000);
  assert.equal(codeOf(await second), "APPROVAL_DENIED");
});

test("a question survives a restart: it is asked once, and answered after it, before it, or never", async (context) => {
  const world = await createWorld(context);
  const parked = new AbortController();
  const calls = ["c1", "c2", "c3"].map((id) => world.run("ls", { id, signal: parked.signal }));
  await world.waitAsked(3);
  const ids = world.asked.map((approval) => approval.id);
  parked.abort("parked");
  for (const call of calls) await assert.rejects(call, /parked/);
  const [open, answered, ended] = await Promise.all(
    ["c1", "c2", "c3"].map(async (call) => (await world.store.approvals.find("t1" as TurnId, call))?.id),
  );
  assert.deepEqual(new Set([open, answered, ended]), new Set(ids));
  await world.restart();
  const guest = await world.openGuest();
  await guest.approvals.answer(answered as ApprovalId, "once", "cli:ann");
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c2"), false);
  assert.deepEqual(await world.run("ls", { id: "c2" }), passed, "answered while nobody waited");
  const again = world.run("ls", { id: "c1" });
  assert.equal((await world.waitAsked()).id, open);
  assert.equal((await world.posts()).length, 3, "not posted again");
  await world.desk.answer(open as ApprovalId, "once", "slack:U1");
  assert.deepEqual(await again, passed);
  await world.clock.advance(300_000);
  assert.equal(codeOf(await world.run("ls", { id: "c3" })), "APPROVAL_EXPIRED");
});

test("`always` allows the shape from then on, for this agent alone", async (context) => {
  const world = await createWorld(context);
  const first = world.run("ls -l notes && cat a");
  const approval = await world.waitAsked();
  assert.deepEqual(
    approval.rules.map(({ program }) => program),
    ["/usr/bin/ls", "/usr/bin/cat"],
  );
  await world.desk.answer(approval.id, "always", "slack:U1");
  assert.deepEqual(await first, passed);
  assert.deepEqual(await world.run("ls -l other; cat b/c", { id: "c2" }), passed);
  world.policy.exec = "allowlist";
  assert.deepEqual(await world.run("cat b", { id: "c3" }), passed);
  for (const command of ["cat /etc/passwd", "cat b > c", "cat b; rm c", "cat $x", "ls -l notes &"])
    assert.equal(codeOf(await world.run(command, { id: `c-${command}` })), "EXEC_NOT_LISTED", command);
  const scope = buildScope();
  const other = { ...scope, session: { ...scope.session, agentId: "other" } };
  assert.equal(codeOf(await world.run("cat b", { id: "c4", scope: other })), "EXEC_NOT_LISTED");
  world.place.env = { PATH: "/w/bin" };
  assert.equal(codeOf(await world.run("cat b", { id: "c5" })), "EXEC_NOT_LISTED", "rules say nothing of variables");
});

test("git is never allowed for good: a folder's own settings name programs that it runs", async (context) => {
  const world = await createWorld(context);
  const first = world.run("git diff a");
  const approval = await world.waitAsked();
  assert.deepEqual(approval.rules, []);
  await world.desk.answer(approval.id, "deny", "slack:U1");
  await first;
  world.policy.exec = "allowlist";
  for (const command of ["git diff b", "ls a | git status"])
    assert.equal(codeOf(await world.run(command, { id: command })), "EXEC_NOT_LISTED", command);
  const suggested = await world.desk.suggestRules("ls x && git status");
  assert.match(suggested.type === "none" ? suggested.why : "", /^git runs /);
});

test("a rule can be had without a question, and what cannot be one says why", async (context) => {
  const { desk } = await createWorld(context);
  const suggested = await desk.suggestRules("ls -l notes | wc -l");
  assert.deepEqual(suggested.type === "rules" && suggested.rules, [
    { program: "/usr/bin/ls", args: [{ type: "exact", text: "-l" }, { type: "path" }] },
    { program: "/usr/bin/wc", args: [{ type: "exact", text: "-l" }] },
  ]);
  for (const [command, why] of [
    ["ls > x", /redirection/],
    ["ls $x", /variable/],
    ["ls | sh", /piped/],
    ["./run", /`\.\/run` is no program/],
  ] as const) {
    const none = await desk.suggestRules(command);
    assert.match(none.type === "none" ? none.why : "", why, command);
  }
});

test("a call that is stopped leaves no question open; one that goes on later does", async (context) => {
  const world = await createWorld(context);
  const stateOf = async (id: string) => {
    const found = await world.store.approvals.find("t1" as TurnId, id);
    return [found?.state, found?.answeredBy];
  };
  for (const [n, [reason, expected]] of [
    ["stopped", ["denied", "mom:stopped"]],
    ["timed_out", ["denied", "mom:stopped"]],
    ["parked", ["pending", undefined]],
  ].entries()) {
    const abort = new AbortController();
    const id = `c${n}`;
    const running = world.run("ls", { id, signal: abort.signal });
    await world.waitAsked(n + 1);
    abort.abort(reason);
    await assert.rejects(running);
    assert.deepEqual(await stateOf(id), expected, String(reason));
    assert.equal(await world.desk.mayHaveRun("t1" as TurnId, id), false);
  }
  await world.desk.withdraw("t1" as TurnId, "c2");
  assert.deepEqual(await stateOf("c2"), ["denied", "mom:stopped"]);
  await world.desk.withdraw("t1" as TurnId, "c2");
  await world.desk.withdraw("t1" as TurnId, "nothing");
  await assert.rejects(world.run("ls", { id: "c9", signal: AbortSignal.abort("stopped") }));
  assert.deepEqual(await stateOf("c9"), [undefined, undefined], "nobody is asked for what is over");
  assert.equal((await world.posts()).length, 3);
});

test("what is not simple cannot be had for good", async (context) => {
  const world = await createWorld(context);
  const running = world.run("ls > x");
  const approval = await world.waitAsked();
  assert.deepEqual(approval.rules, []);
  assert.doesNotMatch((await world.posts())[0] ?? "", /always`/);
  await world.desk.answer(approval.id, "once", "slack:U1");
  assert.deepEqual(await running, passed);
});

test("a call whose folder or variables change while it waits is not let through", async (context) => {
  for (const [name, change] of [
    ["cwd", { cwd: "/elsewhere" }],
    ["env", { env: { A: "b" } }],
  ] as const) {
    const world = await createWorld(context);
    const running = world.run("ls");
    const { id } = await world.waitAsked();
    Object.assign(world.place, change);
    await world.desk.answer(id, "once", "slack:U1");
    assert.equal(codeOf(await running), "APPROVAL_CHANGED", name);
    assert.equal((await world.store.approvals.get(id))?.state, "allowed", "it has let nothing through");
  }
});

/** Reads a question back: what a person sees, made into what it stands for. */
function readBack(question: string): string {
  const fence = /^(`{3,})$/m.exec(question)?.[1] ?? "";
  const shown = question.split(`${fence}\n`)[1]?.slice(0, -1) ?? "";
  return shown.replace(/⟨U\+([0-9A-F]+)⟩/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
}

test("the shown command is the run command, all of it", async (context) => {
  const world = await createWorld(context);
  const commands = [
    `echo 'a "b" \\ $c' "d"`,
    "echo a\n\n\trm b\n",
    "c\u0430t notes # \u202e txt.exe",
    "echo \u200b\u00a0\r\u001b[2K\u0007 é 日本 😀",
    "echo ```\n```` `id` ~~~",
    `echo ${"`".repeat(500)}`,
    "⟨U+0430⟩ **bold** [x](http://y) <b> &amp;",
    `printf '%s' '${"0123456789".repeat(1024)}'`,
  ];
  for (const [n, command] of commands.entries()) {
    const running = world.run(command, { id: `c${n}` });
    const approval = await world.waitAsked(n + 1);
    const question = (await world.posts()).at(-1) ?? "";
    assert.equal(readBack(question), command);
    assert.equal(approval.subject.exact.argv[2], command);
    assert.equal(approval.subject.text, command);
    assert.equal(question.includes("⚠"), /[^\n\t\x20-\x7eé日本]|`{17}/.test(command), command.slice(0, 40));
    await world.desk.answer(approval.id, "once", "slack:U1");
    assert.deepEqual(await running, passed);
  }
});

test("a question is asked where an admin can answer, and the asker is told", async (context) => {
  const world = await createWorld(context);
  const stop = new AbortController();
  const places: [name: string, scope: ToolScope, posts: RegExp[]][] = [
    ["the owner's own chat", buildScope("main"), [/^C1: \*\*Approval/]],
    ["a group", buildScope("group"), [/^C1: \*\*Approval/]],
    ["a topic", buildScope("topic"), [/^C1: \*\*Approval/]],
    ["a direct chat of an admin", buildScope("dm", { isAdmin: true }), [/^C1: \*\*Approval/]],
    ["a direct chat of somebody else", buildScope("dm"), [/^D9: \*\*Approval/, /^C1: .*whom I have asked/]],
    ["a chat that nobody can post in", buildScope("main", { channel: { adapter: "slack", channelId: "gone" } }), []],
  ];
  const unowned = buildScope("dm");
  places.push([
    "nowhere",
    { ...unowned, session: { ...unowned.session, agentId: "stray" } },
    [/^C1: .*`mom approvals approve [a-z0-9]{6}`/],
  ]);
  let count = 0;
  for (const [n, [name, scope, expected]] of places.entries()) {
    const running = world.run("ls", { id: `c${n}`, scope, signal: stop.signal });
    running.catch(() => undefined);
    await world.waitAsked(n + 1);
    const posts = (await world.posts()).slice(count);
    count += posts.length;
    assert.equal(posts.length, expected.length, name);
    for (const [at, pattern] of expected.entries()) assert.match(posts[at] ?? "", pattern, name);
  }
  stop.abort();
});

test("a question names who, where, why, until when, and what always would mean", async (context) => {
  const world = await createWorld(context);
  const running = world.run("ls -l 'it`s' notes", {
    scope: buildScope("main", { sender: { id: "U1", username: "ann", displayName: "An`n\n**x**", isBot: false } }),
  });
  const { id } = await world.waitAsked();
  const text = (await world.posts())[0] ?? "";
  for (const line of [
    `**Approval ${id}**: \`An⟨U+0060⟩n⟨U+000A⟩**x**\` (\`slack:U1\`) has set off a call of \`bash\`.`,
    "- Folder: `/w`, in the sandbox",
    "- Why I ask: `programs are run here only after an admin has said yes`",
    "(5 min); after that it counts as no",
    "`always` would allow `/usr/bin/ls -l <any path below the folder> <any path below the folder>`",
    `\`/approve ${id} once\` · \`/approve ${id} always\` · \`/approve ${id} deny\``,
  ])
    assert.ok(text.includes(line), `${line}\n--- not in\n${text}`);
  await world.desk.answer(id, "deny", "slack:U1");
  await running;
});

test("only of programs it is said whether a sandbox confines them", async (context) => {
  const world = await createWorld(context, { isMarked: true });
  const tool: Tool = {
    ...createBash(world.place),
    name: "message",
    approvalSubject: async () => ({
      tool: "message",
      text: "send in #x",
      exact: { argv: ["message"], cwd: "/w", env: {} },
    }),
  };
  const running = world.desk.pass({
    call: { type: "toolCall", id: "c1", name: "message", arguments: {} },
    tool,
    params: {},
    scope: buildScope(),
    signal: never,
    onApproval: (approval) => void world.asked.push(approval),
  });
  const { id } = await world.waitAsked();
  assert.match((await world.posts())[0] ?? "", /\n- Folder: `\/w`\n/);
  await world.desk.answer(id, "deny", "slack:U1");
  await running;
});

test("text from outside makes calls that act on the world a question, for the whole life and its copies", async (context) => {
  const world = await createWorld(context, { exec: "full" });
  const life = "life-1" as SessionId;
  world.place.isOutward = true;
  assert.deepEqual(await world.run("ls"), passed);
  await Promise.all([
    world.desk.noteOutside(life, "https://a.example/"),
    world.desk.noteOutside(life, " https://b.example/\n`x` "),
  ]);
  await world.restart();
  const running = world.run("ls", { id: "c2" });
  const approval = await world.waitAsked();
  assert.match(approval.reason, /text from outside .*https:\/\/a\.example\/, https:\/\/b\.example\/ `x`/);
  await world.desk.answer(approval.id, "always", "slack:U1");
  assert.deepEqual(await running, passed);
  assert.deepEqual(await world.run("ls", { id: "c3" }), passed, "allowed for good");
  world.place.isOutward = false;
  assert.deepEqual(await world.run("rm x", { id: "c4" }), passed, "it stays in the sandbox");
  world.place.isOutward = true;
  world.policy.untrusted = "block";
  assert.equal(codeOf(await world.run("ls", { id: "c5" })), "OUTSIDE_BLOCKED");
  const scope = buildScope();
  const fresh = { ...scope, session: { ...scope.session, sessionId: "life-2" as SessionId } };
  assert.deepEqual(await world.run("rm x", { id: "c6", scope: fresh }), passed, "a new life");
  await world.desk.copyTaint("life-3" as SessionId, "life-2" as SessionId);
  assert.deepEqual(await world.run("rm x", { id: "c7", scope: fresh }), passed);
  await world.desk.copyTaint(life, "life-2" as SessionId);
  assert.equal(codeOf(await world.run("rm x", { id: "c8", scope: fresh })), "OUTSIDE_BLOCKED");
  world.policy.untrusted = "allow";
  assert.deepEqual(await world.run("rm x", { id: "c9", scope: fresh }), passed);
});

test("people who are not the owner are outside by themselves", async (context) => {
  const world = await createWorld(context, { exec: "full", untrusted: "block" });
  world.place.isOutward = true;
  for (const type of ["dm", "group", "topic"] as const)
    assert.equal(
      codeOf(await world.run("ls", { scope: buildScope(type, { isAdmin: true }) })),
      "OUTSIDE_BLOCKED",
      type,
    );
  for (const type of ["main", "cron", "subagent"] as const) {
    assert.deepEqual(await world.run("ls", { scope: buildScope(type, { isAdmin: true }) }), passed, type);
    assert.equal(
      codeOf(await world.run("ls", { scope: buildScope(type, { isAdmin: false }) })),
      "OUTSIDE_BLOCKED",
      type,
    );
  }
});

test("a question that the config no longer asks is let through, and counts as run", async (context) => {
  const world = await createWorld(context);
  const parked = new AbortController();
  const running = world.run("ls", { signal: parked.signal });
  await world.waitAsked();
  parked.abort("parked");
  await assert.rejects(running, /parked/);
  world.policy.exec = "full";
  assert.deepEqual(await world.run("ls"), passed);
  assert.equal(await world.desk.mayHaveRun("t1" as TurnId, "c1"), true);
  world.policy.exec = "ask";
  const denied = world.run("ls", { id: "c2" });
  await world.desk.answer((await world.waitAsked(2)).id, "deny", "slack:U1");
  await denied;
  world.policy.exec = "full";
  assert.equal(codeOf(await world.run("ls", { id: "c2" })), "APPROVAL_DENIED", "somebody said no to this very call");
});

test("a yes opens nothing that the config has closed meanwhile", async (context) => {
  const world = await createWorld(context);
  const running = world.run("ls");
  const { id } = await world.waitAsked();
  world.policy.exec = "deny";
  await world.desk.answer(id, "once", "slack:U1");
  assert.equal(codeOf(await running), "EXEC_DENIED");
  assert.equal((await world.store.approvals.get(id))?.state, "allowed");
});
