/**
 * Kills mom, with SIGKILL and in a process of its own, at every point of a turn's life, on each platform with its own SDK,
 * starts it again, and looks: every message has exactly one turn and one reply, and log.jsonl, context.jsonl, the database
 * and the platform agree. What is sent but unknown is settled by the platform's own rule (spec 10.1).
 */
import assert from "node:assert/strict";
import { access, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createDiscordPlatform } from "../fakes/discord/index.ts";
import type { SeenRequest } from "../fakes/model-server.ts";
import { createOpenAiServer } from "../fakes/openai-server.ts";
import type { FakePlatform } from "../fakes/platform.ts";
import { createSlackPlatform } from "../fakes/slack/index.ts";
import { createTelegramPlatform } from "../fakes/telegram/index.ts";
import { assertConsistent, bundleChild, createDataDir, startLife } from "./crash-world.ts";
import { buildConfig, lastUserText } from "./world.ts";

interface Case {
  name: "slack" | "discord" | "telegram";
  create(): Promise<FakePlatform>;
  /** What a post that nobody knows of becomes: never doubled, or once more at most and said. */
  rule: "once" | "once more";
  text: string;
}

const cases: Case[] = [
  { name: "discord", create: createDiscordPlatform, rule: "once", text: "hello" },
  { name: "slack", create: createSlackPlatform, rule: "once", text: "tools please" },
  { name: "telegram", create: createTelegramPlatform, rule: "once more", text: "hello" },
];

/** A model whose answers depend on nothing but the request, so that asking again changes nothing. */
function respond(request: SeenRequest) {
  const text = lastUserText(request);
  const messages = request.body["messages"] as { role: string; content: string }[];
  const hasResults = messages.slice(messages.findLastIndex((m) => m.role === "user")).some((m) => m.role === "tool");
  if (!text.startsWith("tools") || hasResults) return { type: "answer" as const, text: `answer to ${text}` };
  return {
    type: "answer" as const,
    text: "Looking.",
    toolCalls: [
      { id: "call-read", name: "ls", arguments: { path: "." } },
      { id: "call-act", name: "bash", arguments: { command: "echo ran >> ran.txt" } },
    ],
  };
}

/** Where mom dies: at a point of her own, or (`answer lost`) when the platform has taken the post and said nothing yet. */
type Death = { at: string } | "never" | "answer lost";

/** Runs until the message is answered, through one death, and checks everything. Returns the points passed. */
async function runThroughDeath(bundle: string, { name, create, rule, text }: Case, death: Death): Promise<string[]> {
  const platform = await create();
  const model = await createOpenAiServer({ respond });
  const adapter = { ...platform.config, admins: [platform.people.owner] };
  const config = { queue: { mode: "followup" }, adapters: { [name]: adapter } };
  const dataDir = await createDataDir(buildConfig(model.url, { config }));
  const channelId = platform.chats.owner;
  const answers = () => platform.posts(channelId).filter((post) => post.text.includes(`answer to ${text}`));
  try {
    if (death === "answer lost") platform.fail({ type: "slow", ms: 60_000 });
    const first = startLife(bundle, { dataDir, dieAt: typeof death === "object" ? death.at : "" });
    const id = platform.say({ channelId, userId: platform.people.owner, text });
    const done = () => answers().length > 0 && platform.unacknowledged === 0;
    if (death === "never" || death === "answer lost") await platform.until(() => answers().length > 0);
    if (death === "answer lost") first.kill();
    if (death !== "never") assert.equal(await first.ended, "SIGKILL", `the process should have died: ${String(death)}`);
    const last = death === "never" ? first : startLife(bundle, { dataDir, dieAt: "" });
    await platform.until(done);
    await last.settled(id);
    await last.stop();
    await assertConsistent({ dataDir, adapter: name, channelId }, [{ id, text }]);
    await assertAnswers(dataDir, answers().length, rule);
    await assertToolRanOnce(dataDir);
    return first.points;
  } finally {
    await platform.close();
    await model.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function assertAnswers(dataDir: string, count: number, rule: Case["rule"]): Promise<void> {
  if (rule === "once") return assert.equal(count, 1, "it was answered once");
  assert.ok(count === 1 || count === 2, `answered ${count} times, where once more is the most`);
  const log = await readFile(join(dataDir, "state/logs/mom.log"), "utf8");
  if (count === 2) assert.match(log, /may have arrived before; it is sent once more/);
}

/** What acts on the world is never done twice by a resumed turn. */
async function assertToolRanOnce(dataDir: string): Promise<void> {
  const path = join(dataDir, "workspace/ran.txt");
  const hasRun = await access(path).then(
    () => true,
    () => false,
  );
  const runs = hasRun ? (await readFile(path, "utf8")).trim().split("\n").length : 0;
  assert.ok(runs <= 1, `the tool ran ${runs} times`);
}

describe("killed at any point of a turn, mom finishes it once after the restart", { concurrency: 2 }, async () => {
  let bundle: Awaited<ReturnType<typeof bundleChild>>;
  before(async () => {
    bundle = await bundleChild();
  });
  after(() => bundle.remove());

  for (const each of cases) {
    test(`on ${each.name}, "${each.text}"`, async (t) => {
      const points = await runThroughDeath(bundle.path, each, "never");
      const distinct = [...new Set(points)];
      assert.ok(distinct.length >= 20, `only ${distinct.length} points: ${distinct.join(" ")}`);
      // The platforms differ in how messages come in and posts are settled: of the points between each tries its share.
      const isAtTheEdge = (point: string) => /^(outbox|inbox)\./.test(point);
      const share = each.name === "discord" ? 0 : 1;
      const deaths = distinct.filter((point, n) => isAtTheEdge(point) || n % 2 === share).map((at) => ({ at }));
      await t.test("each point", { concurrency: 2 }, async (inner) => {
        const runs = [...deaths, "answer lost" as const].map((death) =>
          inner.test(typeof death === "string" ? death : death.at, async () => {
            await runThroughDeath(bundle.path, each, death);
          }),
        );
        await Promise.all(runs);
      });
    });
  }
});
