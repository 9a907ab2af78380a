/** Every bench, in the order in which they run and stand in the table. */
import type { Bench } from "./bench.ts";
import { channelsBench } from "./benches/channels.ts";
import { commandLineBench } from "./benches/command-line.ts";
import { compactionBench } from "./benches/compaction.ts";
import { ephemeralBench } from "./benches/ephemeral.ts";
import { gatewayBench } from "./benches/gateway.ts";
import { grepBench } from "./benches/grep.ts";
import { growthBench } from "./benches/growth.ts";
import { heartbeatBench } from "./benches/heartbeat.ts";
import { historyBench } from "./benches/history.ts";
import { installBench } from "./benches/install.ts";
import { logTailBench } from "./benches/log-tail.ts";
import { memoryBench } from "./benches/memory.ts";
import { memorySearchBench } from "./benches/memory-search.ts";
import { oneShotBench } from "./benches/one-shot.ts";
import { policyBench } from "./benches/policy.ts";
import { promptBench } from "./benches/prompt.ts";
import { sandboxBench } from "./benches/sandbox.ts";
import { sessionsBench } from "./benches/sessions.ts";
import { skillsBench } from "./benches/skills.ts";
import { startBench } from "./benches/start.ts";
import { transcriptBench } from "./benches/transcript.ts";
import { turnsBench } from "./benches/turns.ts";
import { webFetchBench } from "./benches/web-fetch.ts";

export const benches: readonly Bench[] = [
  commandLineBench,
  startBench,
  oneShotBench,
  turnsBench,
  sessionsBench,
  growthBench,
  historyBench,
  compactionBench,
  memoryBench,
  memorySearchBench,
  promptBench,
  ephemeralBench,
  heartbeatBench,
  skillsBench,
  transcriptBench,
  logTailBench,
  policyBench,
  sandboxBench,
  grepBench,
  webFetchBench,
  channelsBench,
  gatewayBench,
  installBench,
];
