/** The commands that change a conversation, on the real store: cut off before their reply, they end the same. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { ClaimedTurn, NewEntry } from "../contracts/turn.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { answerCommand } from "./answer.ts";
import { createCommands } from "./create-commands.ts";

const channel = { adapter: "chat", channelId: "C1" };
const sessionKey = "agent:main:dm:chat:C1" as SessionKey;
const route: SessionRoute = { sessionKey, type: "dm", agentId: "main", channel };

async function openHouse(t: TestContext) {
  const { dir } = await createTempFolder(t);
  const { deps, clock } = createCommandPorts();
  const store = await openStore({
    layout: buildLayout(dir),
    clock,
    log: createRecordingLog(),
    role: "owner",
    routesOf: () => [route],
  });
  t.after(() => store.close());
  const commands = createCommands({ ...deps, sessions: store.sessions, transcripts: store.transcripts });
  let count = 0;

  const begin = async (text: string, kind: "agent" | "command"): Promise<ClaimedTurn> => {
    await clock.advance(1000);
    const message = {
      id: `m${++count}`,
      channelId: "C1",
      timestamp: new Date(clock.now()).toISOString(),
      sender: { id: "U1", username: "ann", isBot: false },
      text,
      attachments: [],
      isMention: true,
    };
    await store.inbox.accept({ adapter: "chat", message, verdict: { type: "turn", kind, lane: sessionKey, route } });
    return claim();
  };
  const claim = async () => {
    const turn = await store.turns.claim(60_000, ["chat"]);
    assert.ok(turn);
    return turn;
  };
  const end = (turn: ClaimedTurn) => store.turns.finish(turn, { outcome: "done", deliveries: [] });
  const answer = async (turn: ClaimedTurn) =>
    answerCommand(commands, {
      turn,
      session: await store.sessions.open(route),
      adapterType: "x",
      isAdmin: true,
      steps: await store.turns.steps(turn),
      record: (step) => store.turns.record(turn, step),
    });

  return {
    store,
    async say(text: string) {
      const turn = await begin(text, "agent");
      const entry: NewEntry = {
        type: "message",
        id: newEntryId(),
        timestamp: new Date(clock.now()).toISOString(),
        message: { role: "user", content: text, timestamp: clock.now() },
      };
      await store.turns.record(turn, { body: { type: "input", seenSeq: turn.seq }, entries: [entry] });
      await end(turn);
    },
    /** Answered twice, as after a crash right before the reply was handed on. */
    async askTwice(text: string): Promise<string> {
      const turn = await begin(text, "command");
      const first = await answer(turn);
      await store.turns.release(turn);
      const again = await claim();
      assert.equal(again.id, turn.id);
      assert.deepEqual(await answer(again), first, text);
      await end(again);
      return String(first);
    },
    async read() {
      const whole = await store.transcripts.whole(sessionKey);
      const { entries } = await store.transcripts.context(sessionKey, 100);
      const texts = entries.flatMap((entry) => (entry.type === "message" ? [entry.message.content] : []));
      return { whole, texts };
    },
  };
}

test("fork, resume and tree end in the same conversation when they are answered twice", async (t) => {
  const { store, say, askTwice, read } = await openHouse(t);
  for (const text of ["one", "two", "three"]) await say(text);
  const original = (await store.sessions.get(sessionKey))?.sessionId;

  assert.match(await askTwice("/fork 3"), /just before message 3[\s\S]*three/);
  assert.deepEqual((await read()).texts, ["one", "two"]);
  await say("other");
  assert.deepEqual((await read()).texts, ["one", "two", "other"]);

  assert.match(await askTwice("/tree 1"), /after message 1 \(`one`\).*Left on another branch: 2 messages, from 2 on/);
  assert.deepEqual((await read()).texts, ["one"]);
  await say("branch");
  assert.deepEqual((await read()).texts, ["one", "branch"]);

  assert.match(await askTwice("/resume 1"), /We are in conversation 1 now: `one`/);
  assert.equal((await store.sessions.get(sessionKey))?.sessionId, original);
  assert.deepEqual((await read()).texts, ["one", "two", "three"]);

  assert.match(await askTwice("/fork 1"), /just before message 1/);
  assert.deepEqual((await read()).texts, []);
  await askTwice("/new");
  assert.equal((await store.transcripts.lives(sessionKey)).length, 2);
});

test("a name and a level are on record once", async (t) => {
  const { store, say, askTwice, read } = await openHouse(t);
  await say("hello");
  await askTwice("/name the plan");
  await askTwice("/think high");
  const session = await store.sessions.get(sessionKey);
  assert.deepEqual([session?.label, session?.thinkingLevel], ["the plan", "high"]);
  const types = (await read()).whole?.entries.map(({ type }) => type);
  assert.deepEqual(types, ["message", "session_info", "thinking_level_change"]);
  assert.equal((await store.transcripts.lives(sessionKey))[0]?.name, "the plan");
});
