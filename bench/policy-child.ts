/**
 * Resolves tool policy in a fresh process: once with nothing cached or compiled, then as a running mom does it for every
 * turn, where the decisions are cached. Started by benches/policy.ts.
 */
import { tmpdir } from "node:os";
import { createSystemClock } from "../src/base/clock.ts";
import type { SessionId, SessionKey, TurnId } from "../src/contracts/ids.ts";
import type { ToolScope } from "../src/contracts/tool.ts";
import { createHostExecutor, loadPrograms } from "../src/sandbox/index.ts";
import { createToolbox, toolsConfig } from "../src/tools/index.ts";
import { decideTools } from "../src/tools/policy/decide-tools.ts";
import { silentLog } from "../test/fakes/log.ts";

export interface PolicyResult {
  toolCount: number;
  /** The first decision about all tools in this process. */
  coldMs: number;
  /** Opening the tools of a turn: cached decisions, tools made, gate closed around them. One sample per call. */
  cachedUs: number[];
}

const toolCount = 60;
const groups = ["fs", "runtime", "messaging", "automation", "sessions", "memory"];
const tools = Array.from({ length: toolCount }, (_each, n) => ({
  name: `tool_${n}`,
  group: groups[n % groups.length] ?? "fs",
}));
const config = toolsConfig.parse({
  allow: ["group:fs", "group:runtime", "tool_1*", "*_2", "group:mom"],
  deny: ["group:memory", "tool_4*", "exec", "*_59"],
});

function decideCold(): number {
  const start = performance.now();
  const decisions = decideTools(tools, { config, sessionType: "main" });
  const coldMs = performance.now() - start;
  if (decisions.length !== toolCount || decisions.every(({ allowed }) => allowed))
    throw new Error("nothing was decided");
  return coldMs;
}

async function openCached(): Promise<number[]> {
  const never = async (): Promise<never> => {
    throw new Error("no tool is run here");
  };
  const clock = createSystemClock();
  const toolbox = createToolbox(
    {
      executor: createHostExecutor({ clock, log: silentLog, programs: await loadPrograms(), environment: {} }),
      outbox: { post: never, claim: never, settle: never, noteRepeat: never, nextDueAt: never, list: never },
      scheduler: { add: never, list: never, remove: never },
      clock,
      log: silentLog,
      standingOrders: { add: never, list: async () => [], remove: never },
      foldersOf: async ({ channel }) => ({
        cwd: tmpdir(),
        roots: [tmpdir()],
        readOnly: [],
        scratch: `channels/${channel.adapter}/${channel.channelId}/scratch`,
      }),
      hiddenPaths: [],
    },
    { ...toolsConfig.parse({}), roots: [], agentTools: () => undefined },
  );
  const samplesUs: number[] = [];
  for (let n = 0; n < 500; n++) {
    const start = performance.now();
    await toolbox.open(buildScope());
    samplesUs.push((performance.now() - start) * 1000);
  }
  // The first calls load and compile.
  return samplesUs.slice(100);
}

function buildScope(): ToolScope {
  const channel = { adapter: "bench", channelId: "D1" };
  const session: ToolScope["session"] = {
    sessionId: "bench" as SessionId,
    sessionKey: "agent:main:main" as SessionKey,
    type: "main",
    agentId: "main",
    createdAt: 0,
    updatedAt: 0,
    channel,
    lastChannel: channel,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    cost: 0,
  };
  const sender = { id: "U1", username: "ann", isBot: false };
  return { session, turnId: "bench" as TurnId, channel, sender, model: "lab/bench" };
}

const coldMs = decideCold();
process.send?.({ toolCount, coldMs, cachedUs: await openCached() } satisfies PolicyResult);
process.disconnect();
