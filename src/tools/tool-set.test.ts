import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { textOf } from "../../test/fakes/tool-workspace.ts";
import { ToolError } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { ToolCall } from "../contracts/model.ts";
import type { StandingOrder } from "../contracts/standing-order.ts";
import type { Tool, ToolResult } from "../contracts/tool.ts";
import { createDeclareTool } from "./declare-tool.ts";
import { createToolSet, type ToolSetDependencies } from "./tool-set.ts";

const parameters = Type.Object({ n: Type.Integer() }, { additionalProperties: false });

function createTool(
  name: string,
  execute: Tool<typeof parameters>["execute"],
  locks?: string[],
): Tool<typeof parameters> {
  return {
    name,
    label: name,
    description: "",
    parameters,
    effect: "external",
    describe: ({ n }) => `${name}\n  ${n}`,
    ...(locks === undefined ? {} : { locks: async () => locks }),
    execute,
  };
}

const done: ToolResult = { content: [{ type: "text", text: "done" }], details: { d: 1 } };
const call = (name: string, args: unknown = { n: 1 }): ToolCall => ({
  type: "toolCall",
  id: `id-${name}`,
  name,
  arguments: args as Record<string, unknown>,
});

const unasked: Pick<ToolSetDependencies, "pass" | "mayHaveRun" | "noteOutside" | "hostTools"> = {
  pass: async () => ({ type: "pass" }),
  mayHaveRun: async () => true,
  noteOutside: async () => undefined,
  hostTools: [],
};

function open(
  tools: Tool<typeof parameters>[],
  denied: string[] = [],
  orders: StandingOrder[] = [],
  more: Partial<ToolSetDependencies> = {},
) {
  const log = createRecordingLog();
  const decisions = tools.map(({ name }) =>
    denied.includes(name)
      ? { name, allowed: false, removedBy: { layer: "global", rule: "because" } }
      : { name, allowed: true },
  );
  const groups = tools.map(({ name }) => ({ name, group: "runtime" }));
  const set = createToolSet({
    declare: createDeclareTool(),
    tools,
    groups,
    decisions,
    queue: createKeyedQueue(),
    listOrders: async () => orders,
    log,
    ...unasked,
    ...more,
  });
  const run = (
    toolCall: ToolCall,
    signal = new AbortController().signal,
    onUpdate: (p: ToolResult) => void = () => {},
  ) => set.run(toolCall, signal, onUpdate);
  return { set, run, log };
}

test("runs an allowed tool with mended arguments", async () => {
  const seen: unknown[] = [];
  const { run, set } = open([
    createTool("bash", async (id, params) => {
      seen.push(id, params);
      return done;
    }),
  ]);
  assert.deepEqual(await run(call("exec", { n: "4" })), { ...done, isError: false });
  assert.deepEqual(seen, ["id-exec", { n: 4 }]);
  assert.equal(set.effectOf(call("bash")), "external");
  assert.equal(set.effectOf(call("nothing")), undefined);
});

test("answers an unknown name with the nearest and the available ones", async () => {
  const { run } = open([createTool("read", async () => done), createTool("write", async () => done)]);
  const outcome = await run(call("raed"));
  assert.equal(outcome.isError, true);
  assert.equal(textOf(outcome), 'There is no tool "raed". Did you mean "read"? Available: read, write.');
  assert.match(textOf(await run(call("__proto__"))), /There is no tool/);
});

test("does not list a denied tool and refuses it when it is called all the same", async () => {
  const { run, set } = open(
    [createTool("bash", () => assert.fail("must not run")), createTool("read", async () => done)],
    ["bash"],
  );
  assert.deepEqual(
    set.declarations.map((declaration) => declaration.name),
    ["read"],
  );
  for (const name of ["bash", "exec", "BASH"]) {
    const outcome = await run(call(name));
    assert.equal(outcome.isError, true);
    assert.equal(textOf(outcome), 'The tool "bash" is not allowed here (global: because). Available: read.');
  }
});

test("refuses a tool about which nothing was decided", async () => {
  const tools = [createTool("read", () => assert.fail("must not run"))];
  const set = createToolSet({
    declare: createDeclareTool(),
    tools,
    groups: [],
    decisions: [],
    queue: createKeyedQueue(),
    listOrders: async () => [],
    log: createRecordingLog(),
    ...unasked,
  });
  assert.deepEqual(set.declarations, []);
  assert.equal((await set.run(call("read"), new AbortController().signal, () => {})).isError, true);
});

test("refuses arguments that do not fit, or are no object, before running", async () => {
  const { run } = open([createTool("read", () => assert.fail("must not run"))]);
  assert.equal(
    textOf(await run(call("read", { n: "x", m: 1 }))),
    'The arguments of "read" do not fit:\n- m: unknown; did you mean n?\n- n: expected integer, found "x"',
  );
  for (const args of [null, "text", 5, [1]]) {
    assert.equal(textOf(await run(call("read", args))), 'The arguments of "read" must be a JSON object.');
  }
});

test("turns failures into answers: coded ones with their hint, others logged", async () => {
  const { run, log } = open([
    createTool("coded", async () => {
      throw new ToolError("FILE_NOT_FOUND", "gone", { hint: "look" });
    }),
    createTool("broken", async () => {
      throw new TypeError("bug");
    }),
    createTool("odd", () => {
      throw "text";
    }),
  ]);
  assert.deepEqual(await run(call("coded")), {
    content: [{ type: "text", text: "gone\nlook" }],
    details: { code: "FILE_NOT_FOUND" },
    isError: true,
  });
  assert.equal(textOf(await run(call("broken"))), "The tool failed: bug");
  assert.equal(textOf(await run(call("odd"))), "The tool failed: text");
  assert.equal(log.lines.filter((line) => line.level === "error").length, 2);
});

test("passes updates on until the call has ended, and survives a listener that throws", async () => {
  let late = () => {};
  const { run } = open([
    createTool("read", async (_id, _params, _signal, onUpdate) => {
      onUpdate(done);
      late = () => onUpdate(done);
      return done;
    }),
  ]);
  let updates = 0;
  await run(call("read"), undefined, () => updates++);
  late();
  assert.equal(updates, 1);
  const outcome = await run(call("read"), undefined, () => {
    throw new Error("listener");
  });
  assert.equal(outcome.isError, false);
});

test("calls that share a lock run one after the other, others at the same time", async () => {
  const events: string[] = [];
  const gates = {
    a: Promise.withResolvers<void>(),
    b: Promise.withResolvers<void>(),
    c: Promise.withResolvers<void>(),
  };
  const build = (name: keyof typeof gates, locks: string[]) =>
    createTool(
      name,
      async () => {
        events.push(`${name} starts`);
        await gates[name].promise;
        events.push(`${name} ends`);
        return done;
      },
      locks,
    );
  const { run } = open([build("a", ["x", "y"]), build("b", ["y", "x"]), build("c", ["z"])]);
  const runs = [run(call("a")), run(call("b")), run(call("c"))];
  gates.c.resolve();
  await runs[2];
  assert.deepEqual(events.toSorted(), ["a starts", "c ends", "c starts"]);
  gates.b.resolve();
  gates.a.resolve();
  await Promise.all(runs);
  assert.ok(events.indexOf("b starts") > events.indexOf("a ends"));
});

test("a call that is aborted while it waits does not run", async () => {
  const gate = Promise.withResolvers<void>();
  const { run } = open([
    createTool("a", () => gate.promise.then(() => done), ["x"]),
    createTool("b", () => assert.fail("must not run"), ["x"]),
  ]);
  const stop = new AbortController();
  const runs = [run(call("a")), run(call("b"), stop.signal)] as const;
  stop.abort();
  gate.resolve();
  assert.equal((await runs[0]).isError, false);
  assert.deepEqual((await runs[1]).details, { code: "ABORTED" });
});

test("describes calls in one line, also those that will be refused", () => {
  const { set } = open([createTool("read", async () => done)], []);
  assert.equal(set.describe(call("read", { n: 5 })), "read 5");
  assert.equal(set.describe(call("read", { n: "x" })), "read");
  assert.equal(set.describe(call("unknown\ntool")), "unknown tool");
  assert.equal(set.describe(call("read", null)), "read");
});

const order = (part: Partial<StandingOrder>): StandingOrder => ({
  id: "r1",
  agentId: "main",
  text: "no mail until I say so",
  denyTools: [],
  denyRecipients: [],
  by: "cli:me",
  createdAt: 0,
  ...part,
});

test("a standing order stops the tool at the call, also one given in the middle of a turn", async () => {
  const orders: StandingOrder[] = [];
  const { run } = open([createTool("bash", async () => done)], [], orders);
  assert.equal((await run(call("bash"))).isError, false);
  orders.push(order({ denyTools: ["group:runtime"] }));
  const refused = await run(call("bash"));
  assert.equal(refused.isError, true);
  assert.match(JSON.stringify(refused.content), /standing order r1 .*no mail until I say so.*\/rule remove r1/);
});

test("a standing order excludes a recipient, however the name is written", async () => {
  const tool = { ...createTool("send", async () => done), recipients: () => ["C1", "General"] };
  const { run } = open([tool], [], [order({ denyRecipients: ["#general"] })]);
  assert.equal((await run(call("send"))).isError, true);
  const other = { ...createTool("send", async () => done), recipients: () => ["C2"] };
  assert.equal((await open([other], [], [order({ denyRecipients: ["#general"] })]).run(call("send"))).isError, false);
});

test("asks whether the call may pass, with the arguments that would run, and answers a no", async () => {
  const asked: unknown[] = [];
  const pass: ToolSetDependencies["pass"] = async ({ call, params }) => {
    asked.push(call.id, params);
    return { type: "refused", text: "The owner said no.", code: "APPROVAL_DENIED" };
  };
  const { run } = open([createTool("bash", () => assert.fail("must not run"))], [], [], { pass });
  const outcome = await run(call("bash", { n: "2" }));
  assert.deepEqual([textOf(outcome), outcome.details], ["The owner said no.", { code: "APPROVAL_DENIED" }]);
  assert.deepEqual(asked, ["id-bash", { n: 2 }]);
});

test("is not asked about what is refused anyway", async () => {
  const pass = () => assert.fail("must not be asked");
  const { run } = open([createTool("bash", () => assert.fail("must not run"))], ["bash"], [], { pass });
  assert.equal((await run(call("bash"))).isError, true);
  assert.equal((await run(call("bash", { n: "x" }))).isError, true);
});

test("holds a tool that is a door against the verdict and the orders of what is behind it", async () => {
  const door = { ...createTool("invoke_tool", async () => done), actsAs: ({ n }: { n: number }) => `host${n}` };
  const order: StandingOrder = { id: "r1", text: "no host3", denyTools: ["host3"], denyRecipients: [] } as never;
  const behind = [1, 2, 3].map((n) => createTool(`host${n}`, () => assert.fail("must not run by itself")));
  const { run } = open([door, ...behind], ["host2"], [order]);
  assert.equal((await run(call("invoke_tool", { n: 1 }))).isError, false);
  assert.match(textOf(await run(call("invoke_tool", { n: 2 }))), /"host2" is not allowed here \(global: because\)/);
  assert.match(textOf(await run(call("invoke_tool", { n: 3 }))), /standing order/);
  assert.match(textOf(await run(call("invoke_tool", { n: 4 }))), /There is no custom tool "host4"/);
});

test("notes text from outside before the model sees it, and what a call may bring before it runs", async () => {
  const noted: string[] = [];
  const noteOutside = async (source: string) => void noted.push(source);
  const page = createTool("fetch", async () => ({ ...done, outside: "https://example.org" }));
  const failing: Tool<typeof parameters> = {
    ...createTool("curl", async () => {
      assert.deepEqual(noted, ["https://example.org", "the network"]);
      throw new ToolError("COMMAND_FAILED", "text of a page");
    }),
    mayBring: () => "the network",
  };
  const { run } = open([page, failing], [], [], { noteOutside });
  const outcome = await run(call("fetch"));
  assert.deepEqual(outcome, { ...done, isError: false });
  assert.equal((await run(call("curl"))).isError, true);
  assert.equal(noted.length, 2);
  const broken = open([page], [], [], { noteOutside: () => Promise.reject(new Error("disk full")) });
  assert.doesNotMatch(textOf(await broken.run(call("fetch"))), /done/);
});
