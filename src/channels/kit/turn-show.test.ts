/** The whole of showing a turn, on a chat that remembers what was done to it and when. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeMemory } from "../../../test/fakes/channel-deps.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Approval } from "../../contracts/approval.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import type { ChannelMemory } from "../definition.ts";
import { createPace, type Pace } from "./pace.ts";
import type { ShowDriver } from "./show-driver.ts";
import { createTurnShow, type TurnShowConfig } from "./turn-show.ts";

const turnId = "t1" as TurnId;
const deliveryId = "t1.0" as DeliveryId;
const cause = { id: "M1", channelId: "C" } as ChannelMessage;

const begin: AgentSessionEvent = { type: "agent_start", model: "m", resumed: false };
const end: AgentSessionEvent = { type: "agent_end", stopReason: "stop" };
const say = (delta: string): AgentSessionEvent => ({ type: "text_delta", delta });
const tool = (label: string): AgentSessionEvent => ({
  type: "tool_execution_start",
  toolCallId: label,
  toolName: "bash",
  label,
  args: {},
});
const finish = (label: string, text = ""): AgentSessionEvent => ({
  type: "tool_execution_end",
  toolCallId: label,
  toolName: "bash",
  label,
  text,
  details: {},
  durationMs: 300,
  isError: false,
});

/** A chat: what stands in it, and what was done, with the time since the start. */
function createChat(now: () => number) {
  const startMs = now();
  const posts = new Map<string, string>();
  const done: string[] = [];
  let count = 0;
  /** Calls that the test wants to end itself; by name. */
  const gates = new Map<string, Promise<void>>();
  const failing = new Set<string>();
  const act = async (name: string, what: string) => {
    done.push(`${now() - startMs} ${name} ${what}`);
    await gates.get(name);
    if (failing.has(name)) throw new Error(`${name} fails`);
  };
  const driver: ShowDriver = {
    async post({ channelId }, text) {
      await act("post", `${channelId}: ${text}`);
      const id = `P${++count}`;
      posts.set(id, text);
      return id;
    },
    async edit(_place, id, text) {
      await act("edit", `${id}: ${text}`);
      if (!posts.has(id)) return false;
      posts.set(id, text);
      return true;
    },
    async remove(_place, id) {
      await act("remove", id);
      posts.delete(id);
    },
  };
  return { driver, posts, done, gates, failing };
}

interface StageOptions extends Partial<TurnShowConfig> {
  memory?: ChannelMemory;
  driver?: Partial<ShowDriver>;
  pace?: (pace: Pace) => Partial<Pace>;
  maxLength?: number;
  chat?: ReturnType<typeof createChat>;
}

async function createStage(options: StageOptions = {}) {
  const { memory = createFakeMemory(), driver, pace: changePace, maxLength = 100, ...config } = options;
  const clock = createFakeClock();
  const chat = options.chat ?? createChat(() => clock.monotonic());
  const pace = createPace({ clock }, { chat: { burst: 50, perSecond: 50 } });
  const render = (markdown: string) => {
    const text = markdown.replaceAll(/\\|\u200b/g, "").trim();
    return text === "" ? [] : (text.match(new RegExp(`[^]{1,${maxLength}}`, "g")) ?? []);
  };
  const show = createTurnShow(
    {
      clock,
      log: silentLog,
      memory,
      driver: { ...chat.driver, ...driver },
      pace: { ...pace, ...changePace?.(pace) },
      render,
    },
    { toolOutput: "summary", streaming: true, ackReaction: "", usageLine: false, ...config },
  );
  await show.start();
  const hear = async (...events: AgentSessionEvent[]) => {
    for (const event of events) await show.show("C", turnId, event, cause);
    await clock.advance(0);
  };
  return { clock, chat, show, hear, memory, render };
}

describe("the live post", () => {
  test("a quick turn has none, and leaves nothing behind", async () => {
    const { clock, chat, show, hear } = await createStage();
    await hear(begin, tool("ls"), finish("ls"), say("Hello"));
    await clock.advance(1_199);
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    await clock.advance(100_000);
    assert.deepEqual(chat.done, []);
    assert.equal(clock.pending, 0);
  });

  test("a longer one is shown after 1.2 s, and then edited once a second, only when something changed", async () => {
    const { clock, chat, hear } = await createStage();
    await hear(begin, tool("ls"));
    await clock.advance(1_200);
    await hear(finish("ls"), { type: "message_start" });
    await clock.advance(5_000);
    for (let n = 1; n <= 20; n++) {
      await hear(say(`${n} `));
      await clock.advance(100);
    }
    await clock.advance(5_000);
    assert.deepEqual(chat.done, [
      "1200 post C: → ls",
      "6200 edit P1: 1",
      "7200 edit P1: 1 2 3 4 5 6 7 8 9 10",
      "8200 edit P1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
    ]);
  });

  test("nothing is posted while there is nothing to say", async () => {
    const { clock, chat, hear } = await createStage();
    await hear(begin, { type: "thinking_delta", delta: "hm" }, say("[SIL"));
    await clock.advance(20_000);
    assert.deepEqual(chat.done, []);
    await hear(say("ENCE]"));
    assert.deepEqual(chat.done, ["20000 post C: [SILENCE]"]);
  });

  test("a text that no longer fits is shown by its beginning and then let be", async () => {
    const { clock, chat, hear } = await createStage({ maxLength: 20 });
    await hear(begin, say("one two three four "));
    await clock.advance(1_200);
    for (let n = 0; n < 5; n++) {
      await hear(say("five six seven "));
      await clock.advance(1_000);
    }
    assert.equal(chat.done.length, 2);
    assert.match(chat.done[1] ?? "", /edit P1: one two .* …$/);
  });

  test("without streaming only what goes on", async () => {
    const { clock, chat, hear } = await createStage({ streaming: false });
    await hear(begin, say("Hello"));
    await clock.advance(3_000);
    await hear(tool("ls"));
    assert.deepEqual(chat.done, ["3000 post C: → ls"]);
  });

  test("two turns in one chat share its second", async () => {
    const { clock, chat, show, hear } = await createStage();
    const other = "t2" as TurnId;
    await hear(begin, tool("a"));
    await show.show("C", other, tool("b"), cause);
    await show.show("D", "t3" as TurnId, tool("c"), cause);
    await clock.advance(3_000);
    assert.deepEqual(chat.done, ["1200 post C: → a", "1200 post D: → c", "2200 post C: → b"]);
  });

  test("where the platform has no room it waits", async () => {
    let hasRoom = false;
    const { clock, chat, hear } = await createStage({ pace: () => ({ tryTake: () => hasRoom }) });
    await hear(begin, say("Hello"));
    await clock.advance(4_000);
    assert.deepEqual(chat.done, []);
    hasRoom = true;
    await clock.advance(1_000);
    assert.deepEqual(chat.done, ["4200 post C: Hello"]);
  });

  test("an edit that is slow is not overtaken by the next", async () => {
    const { clock, chat, hear } = await createStage();
    await hear(begin, say("a"));
    await clock.advance(1_200);
    const gate = Promise.withResolvers<void>();
    chat.gates.set("edit", gate.promise);
    await hear(say("b"));
    await clock.advance(1_000);
    await hear(say("c"), say("d"));
    await clock.advance(10_000);
    assert.equal(chat.done.length, 2);
    gate.resolve();
    await clock.advance(0);
    assert.deepEqual(chat.done.slice(1), ["2200 edit P1: ab", "12200 edit P1: abcd"]);
  });

  test("a platform that fails is tried less and less, and then left alone", async () => {
    for (const isThrow of [true, false]) {
      let tries = 0;
      const post = async () => {
        tries++;
        if (isThrow) throw new Error("down");
        return undefined;
      };
      const { clock, hear, show } = await createStage({ driver: { post } });
      await hear(begin);
      for (let n = 0; n < 100; n++) {
        await hear(say(`${n} `));
        await clock.advance(500);
      }
      assert.equal(tries, 3);
      await hear(end);
      assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    }
  });

  test("waiting for a person is said, and what goes on elsewhere", async () => {
    const { clock, chat, hear } = await createStage();
    await hear(begin, tool("rm"), { type: "approval_request", approval: { id: "abc234" } as Approval });
    await clock.advance(1_200);
    assert.deepEqual([...chat.posts.values()], ["waiting for approval abc234"]);
  });

  test("when something else of the turn was posted, it comes again below that", async () => {
    const { clock, chat, show, hear } = await createStage();
    await hear(begin, tool("a"));
    await clock.advance(1_200);
    show.said(turnId);
    await clock.advance(0);
    assert.equal(chat.posts.size, 0);
    await clock.advance(1_200);
    assert.deepEqual(chat.done, ["1200 post C: → a", "1200 remove P1", "2400 post C: → a"]);
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), "P2");
    show.said("unknown" as TurnId);
  });
});

describe("the reply", () => {
  async function createLive(options: StageOptions = {}) {
    const stage = await createStage(options);
    await stage.hear(begin, say("Hello"));
    await stage.clock.advance(1_200);
    assert.deepEqual([...stage.chat.posts], [["P1", "Hello"]]);
    return stage;
  }

  test("takes the live post over, which then is left alone", async () => {
    const { clock, chat, show, hear } = await createLive();
    await hear(say(" there"), end);
    assert.equal(show.isTakenOver(deliveryId), false);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    assert.equal(show.isTakenOver(deliveryId), true);
    await hear(say(" late"), end);
    await clock.advance(100_000);
    assert.deepEqual(chat.done, ["1200 post C: Hello"]);
    assert.equal(clock.pending, 0);
  });

  test("the same delivery gets the same answer, any other none", async () => {
    const { show, hear } = await createLive();
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    assert.equal(await show.takeOver(turnId, "t1.1" as DeliveryId), undefined);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    assert.equal(await show.takeOver("t9" as TurnId, "t9.0" as DeliveryId), undefined);
  });

  test("two deliveries at once: one gets it", async () => {
    const { show, hear } = await createLive();
    await hear(end);
    const answers = await Promise.all([
      show.takeOver(turnId, deliveryId),
      show.takeOver(turnId, "t1.1" as DeliveryId),
      show.takeOver(turnId, deliveryId),
    ]);
    assert.deepEqual(answers, ["P1", undefined, "P1"]);
  });

  test("waits for an edit that is under way, so that it cannot undo the reply", async () => {
    const { clock, chat, show, hear } = await createLive();
    const gate = Promise.withResolvers<void>();
    chat.gates.set("edit", gate.promise);
    await hear(say(" there"));
    await clock.advance(1_000);
    assert.equal(chat.done.at(-1), "2200 edit P1: Hello there");
    await hear(end);
    let answer: string | undefined;
    const taking = show.takeOver(turnId, deliveryId).then((id) => {
      answer = id;
    });
    await clock.advance(3_000);
    assert.equal(answer, undefined);
    gate.resolve();
    await taking;
    assert.equal(answer, "P1");
  });

  test("a first post that is under way becomes it too", async () => {
    const { clock, chat, show, hear } = await createStage();
    const gate = Promise.withResolvers<void>();
    chat.gates.set("post", gate.promise);
    await hear(begin, say("Hello"));
    await clock.advance(1_200);
    await hear(end);
    const taking = show.takeOver(turnId, deliveryId);
    await clock.advance(1_000);
    gate.resolve();
    assert.equal(await taking, "P1");
  });

  test("does not wait for ever: then it is another post, and the live one goes when it can", async () => {
    const { clock, chat, show, hear } = await createLive();
    const gate = Promise.withResolvers<void>();
    chat.gates.set("edit", gate.promise);
    await hear(say(" there"));
    await clock.advance(1_000);
    const taking = show.takeOver(turnId, deliveryId);
    await clock.advance(20_000);
    assert.equal(await taking, undefined);
    assert.equal(show.isTakenOver(deliveryId), false);
    gate.resolve();
    await clock.advance(0);
    assert.equal(chat.posts.size, 0);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
  });

  test("does not come: the live post goes after five seconds", async () => {
    const { clock, chat, show, hear, memory } = await createLive();
    await hear(say("[SILENT]"), end);
    await clock.advance(4_999);
    assert.equal(chat.posts.size, 1);
    await clock.advance(1);
    assert.equal(chat.posts.size, 0);
    assert.deepEqual(await memory.get("live-posts"), []);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    assert.equal(clock.pending, 1, "only the look for what an earlier life left");
  });

  test("does not come, and the first post is still under way: it goes as soon as it is there", async () => {
    const { clock, chat, hear } = await createStage();
    const gate = Promise.withResolvers<void>();
    chat.gates.set("post", gate.promise);
    await hear(begin, say("Hello"));
    await clock.advance(1_200);
    await hear(end);
    await clock.advance(10_000);
    gate.resolve();
    await clock.advance(0);
    assert.deepEqual(chat.done, ["1200 post C: Hello", "11200 remove P1"]);
    assert.equal(chat.posts.size, 0);
  });

  test("comes while the live post is being removed: it is another post", async () => {
    const { clock, chat, show, hear } = await createLive();
    const gate = Promise.withResolvers<void>();
    chat.gates.set("remove", gate.promise);
    await hear(end);
    await clock.advance(5_000);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    gate.resolve();
    await clock.advance(0);
    assert.equal(chat.posts.size, 0);
  });

  test("a turn that is taken up again in this life goes on with its post", async () => {
    const { clock, chat, show, hear } = await createLive();
    await hear(end);
    await clock.advance(3_000);
    await hear({ ...begin, resumed: true }, say("Again"));
    await clock.advance(10_000);
    assert.deepEqual([...chat.posts], [["P1", "Again"]]);
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
  });

  test("somebody deleted the live post: it is posted anew", async () => {
    const { show, hear } = await createLive();
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    await show.forget(turnId);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    assert.equal(show.isTakenOver(deliveryId), false);
  });

  test("cannot be made of the live post: it is removed, also when it was taken over before", async () => {
    const first = await createLive();
    await first.hear(end);
    await first.show.discard(turnId);
    assert.equal(first.chat.posts.size, 0);
    assert.equal(await first.show.takeOver(turnId, deliveryId), undefined);
    const second = await createLive();
    await second.hear(end);
    await second.show.takeOver(turnId, deliveryId);
    await second.show.discard(turnId);
    await second.show.discard(turnId);
    assert.equal(second.chat.posts.size, 0);
    assert.deepEqual(await second.memory.get("live-posts"), []);
  });

  test("is on record before it is answered which post it becomes", async () => {
    const memory = createFakeMemory();
    const { clock, show, hear } = await createLive({ memory });
    const kept = () => memory.values.get("live-posts") ?? "";
    assert.match(kept(), /"messageId":"P1"/);
    await hear(end);
    const set = memory.set;
    const gate = Promise.withResolvers<void>();
    memory.set = async (key, value) => {
      await gate.promise;
      await set(key, value);
    };
    let answer: string | undefined;
    const taking = show.takeOver(turnId, deliveryId).then((id) => {
      answer = id;
    });
    await clock.advance(60_000);
    assert.equal(answer, undefined);
    gate.resolve();
    await taking;
    assert.equal(answer, "P1");
    assert.match(kept(), /"deliveryId":"t1\.0"/);
  });
});

describe("after a restart", () => {
  /** Killed while the live post stands. */
  async function createSecondLife() {
    const memory = createFakeMemory();
    const first = await createStage({ memory });
    await first.hear(begin, tool("ls"));
    await first.clock.advance(1_200);
    return { memory, first };
  }

  test("a turn that goes on does so in its live post", async () => {
    const { memory, first } = await createSecondLife();
    const { clock, chat, show, hear } = await createStage({ memory, chat: first.chat });
    await hear({ ...begin, resumed: true }, say("Hi"));
    await clock.advance(1_000);
    assert.deepEqual([...chat.posts], [["P1", "Hi"]]);
    await clock.advance(100_000);
    assert.equal(chat.posts.size, 1, "a turn that is heard of is not given up");
    await hear(end);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
  });

  test("a reply that was ready takes it over at once", async () => {
    const { memory, first } = await createSecondLife();
    const { clock, chat, show } = await createStage({ memory, chat: first.chat });
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    await clock.advance(100_000);
    assert.equal(chat.posts.size, 1);
  });

  test("a delivery that had taken it over gets it again, and may be made again", async () => {
    const { memory, first } = await createSecondLife();
    await first.show.takeOver(turnId, deliveryId);
    const { clock, chat, show, hear } = await createStage({ memory, chat: first.chat });
    assert.equal(show.isTakenOver(deliveryId), true);
    await hear(say("late"));
    await clock.advance(100_000);
    assert.deepEqual([...chat.posts], [["P1", "→ ls"]]);
    assert.equal(await show.takeOver(turnId, deliveryId), "P1");
    assert.equal(await show.takeOver(turnId, "t1.1" as DeliveryId), undefined);
  });

  test("a turn of which nothing is heard for a minute has its live post removed", async () => {
    const { memory, first } = await createSecondLife();
    const { clock, chat, memory: kept } = await createStage({ memory, chat: first.chat });
    await clock.advance(59_999);
    assert.equal(chat.posts.size, 1);
    await clock.advance(1);
    assert.equal(chat.posts.size, 0);
    assert.deepEqual(await kept.get("live-posts"), []);
  });
});

describe("signs", () => {
  function createSigns() {
    const done: string[] = [];
    const driver: Partial<ShowDriver> = {
      typingEveryMs: 4_000,
      typing: async ({ channelId }) => void done.push(`typing ${channelId}`),
      react: async (_place, id, emoji, remove) => void done.push(`${remove ? "un" : ""}react ${id} ${emoji}`),
    };
    return { done, driver };
  }

  test("mom types until the turn ends", async () => {
    const { done, driver } = createSigns();
    const { clock, hear } = await createStage({ driver });
    await hear(begin);
    assert.equal(done.length, 1);
    await clock.advance(12_000);
    assert.equal(done.length, 4);
    await hear(end);
    await clock.advance(60_000);
    assert.equal(done.length, 4);
  });

  test("nobody types while a person is waited for, nor long after a turn fell silent", async () => {
    const { done, driver } = createSigns();
    const { clock, hear } = await createStage({ driver });
    await hear(begin, { type: "approval_request", approval: { id: "a" } as Approval });
    await clock.advance(40_000);
    assert.equal(done.length, 1);
    await hear({ type: "approval_end", approvalId: "a" as Approval["id"], toolCallId: "x" });
    await clock.advance(4_000);
    assert.equal(done.length, 2);
    await clock.advance(3_600_000);
    const silent = done.length;
    assert.ok(silent < 100);
    await hear(say("x"));
    await clock.advance(4_000);
    assert.equal(done.length, silent + 1);
  });

  test("a call that hangs is not made a second time", async () => {
    let calls = 0;
    const typing = () => {
      calls++;
      return new Promise<void>(() => undefined);
    };
    const { clock, hear, show } = await createStage({ driver: { typing } });
    await hear(begin);
    await clock.advance(60_000);
    assert.equal(calls, 1);
    const stopping = show.stop();
    await clock.advance(2_000);
    await stopping;
  });

  test("her emoji is on the message as long as she works on it", async () => {
    const { done, driver } = createSigns();
    const { clock, hear } = await createStage({
      driver: { ...driver, typing: async () => undefined },
      ackReaction: "👀",
    });
    await hear(begin, say("x"));
    assert.deepEqual(done, ["react M1 👀"]);
    await hear(end);
    await clock.advance(10_000);
    assert.deepEqual(done, ["react M1 👀", "unreact M1 👀"]);
  });

  test("it is taken off after it was put on, however slow that is", async () => {
    const done: boolean[] = [];
    const gate = Promise.withResolvers<void>();
    const react: ShowDriver["react"] = async (_place, _id, _emoji, remove) => {
      if (!remove) await gate.promise;
      done.push(remove ?? false);
    };
    const { clock, hear } = await createStage({ driver: { react }, ackReaction: "👀" });
    await hear(begin, end);
    await clock.advance(1_000);
    assert.deepEqual(done, []);
    gate.resolve();
    await clock.advance(0);
    assert.deepEqual(done, [false, true]);
  });
});

describe("details", () => {
  const events = [begin, tool("ls"), finish("ls", "a.txt"), say("Done"), end];

  test("go below the reply once it is there, once", async () => {
    const details: string[] = [];
    const detail: ShowDriver["detail"] = async ({ channelId }, id, markdown) =>
      void details.push(`${channelId} ${id} ${markdown.replaceAll("\\", "")}`);
    const { clock, show, hear } = await createStage({ driver: { detail }, toolOutput: "full" });
    await hear(...events);
    await show.takeOver(turnId, deliveryId);
    await clock.advance(20_000);
    assert.deepEqual(details, []);
    show.replied(turnId, "P7");
    show.replied(turnId, "P8");
    await clock.advance(0);
    assert.deepEqual(details, ["C P7 ✓ ls (0.3 s)\n\n```\na.txt\n```"]);
  });

  test("are kept in step with the platform, and given up when it takes too long", async () => {
    let calls = 0;
    const detail = async () => void calls++;
    const { clock, show, hear } = await createStage({
      driver: { detail },
      pace: () => ({ take: async () => (calls < 1 ? { type: "go" } : { type: "later", ms: 99_000 }) }),
      toolOutput: "full",
    });
    await hear(begin, finish("a"), finish("b"), finish("c"), end);
    show.replied(turnId, "P7");
    await clock.advance(0);
    assert.equal(calls, 1);
  });

  test("are not collected where there is no place for them", async () => {
    const { show, hear } = await createStage({ toolOutput: "full" });
    await hear(...events);
    show.replied(turnId, "P7");
  });
});

describe("bounds and ends", () => {
  test("show returns at once, whatever the platform does, and nothing it throws comes out", async () => {
    const never = () => new Promise<never>(() => undefined);
    const hanging = await createStage({
      driver: { post: never, edit: never, remove: never, typing: never, react: never },
      ackReaction: "👀",
    });
    await hanging.hear(begin, say("Hello"));
    await hanging.clock.advance(10_000);
    await hanging.hear(say("!"), end);

    const throws = () => {
      throw new Error("at once");
    };
    const { clock, hear, show } = await createStage({
      driver: { post: throws, edit: throws, remove: throws, typing: throws, react: throws, detail: throws },
      ackReaction: "👀",
    });
    await hear(begin, say("Hello"), finish("x"));
    await clock.advance(100_000);
    await hear(end);
    show.replied(turnId, "P1");
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    await clock.advance(1_000);
  });

  test("a removal that fails is not tried for ever, and the turn is forgotten", async () => {
    const { clock, chat, show, hear, memory } = await createStage();
    await hear(begin, say("Hello"));
    await clock.advance(1_200);
    chat.failing.add("remove");
    await hear(end);
    await clock.advance(100_000);
    assert.deepEqual(await memory.get("live-posts"), []);
    assert.equal(await show.takeOver(turnId, deliveryId), undefined);
    assert.equal(clock.pending, 0);
  });

  test("of a thousand turns that never end five hundred are shown, and the others taken away", async () => {
    const { clock, chat, show } = await createStage();
    for (let n = 0; n < 1_000; n++) {
      await show.show(`C${n}`, `t${n}` as TurnId, say("x"), cause);
      if (n === 499) await clock.advance(1_200);
    }
    await clock.advance(1_200);
    assert.equal(chat.posts.size, 500);
    assert.equal(chat.done.filter((what) => what.includes("remove")).length, 500);
  });

  test("stop leaves the posts for the next life, and no timer", async () => {
    const memory = createFakeMemory();
    const { clock, chat, show, hear } = await createStage({ memory });
    await hear(begin, say("Hello"));
    await clock.advance(1_200);
    await hear(say(" there"));
    await show.show("C", "t2" as TurnId, say("x"), cause);
    await show.stop();
    await show.stop();
    assert.equal(clock.pending, 0);
    await hear(say("!"), end);
    await clock.advance(100_000);
    assert.deepEqual([...chat.posts], [["P1", "Hello"]]);
    const next = await createStage({ memory, chat });
    await next.hear(say("Again"));
    assert.deepEqual([...chat.posts], [["P1", "Again"]]);
  });

  test("stop waits for a post that is under way, so that it is on record", async () => {
    const memory = createFakeMemory();
    const { clock, chat, show, hear } = await createStage({ memory });
    const gate = Promise.withResolvers<void>();
    chat.gates.set("post", gate.promise);
    await hear(begin, say("Hello"));
    await clock.advance(1_200);
    const stopping = show.stop();
    gate.resolve();
    await stopping;
    assert.match(memory.values.get("live-posts") ?? "", /P1/);
  });
});
