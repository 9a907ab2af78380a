/** The store contract on SQLite and files. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { Store } from "../../src/contracts/store.ts";
import { buildLayout, type JsonlFiles, openStore } from "../../src/store/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { silentLog } from "../fakes/log.ts";
import { storeContract } from "./store.ts";
import { storeApprovalsContract } from "./store-approvals.ts";
import { storeDueContract } from "./store-due.ts";
import { storeLedgersContract } from "./store-ledgers.ts";
import { storeOutboxContract } from "./store-outbox.ts";
import { storePairingsContract } from "./store-pairings.ts";
import type { Death, StoreHarness } from "./store-scene.ts";
import { storeSessionsContract } from "./store-sessions.ts";
import { storeTranscriptsContract } from "./store-transcripts.ts";

async function createHarness(): Promise<StoreHarness> {
  const clock = createFakeClock();
  const dataDir = await mkdtemp(join(tmpdir(), "mom-store-"));
  let current: Store | undefined;
  return {
    clock,
    async open(death) {
      // Closing is what a dying process does for us: the system drops its lock. Leases are left as they were.
      await current?.close();
      current = await openStore({
        layout: buildLayout(dataDir),
        clock,
        log: silentLog,
        role: "owner",
        routesOf: (channel) => [
          { sessionKey: "agent:main:main" as SessionKey, type: "main", agentId: "main", channel },
        ],
        ...(death && { wrapFiles: (files: JsonlFiles) => toMortal(files, death) }),
      });
      return current;
    },
    async dispose() {
      await current?.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Transcripts only: what is written to channel logs has no say in what these suites look at. */
function toMortal(files: JsonlFiles, { at, when }: Death): JsonlFiles {
  let count = 0;
  let isDead = false;
  const live = async <T>(path: string, act: () => Promise<T>): Promise<T> => {
    if (basename(path) === "log.jsonl") return act();
    count++;
    isDead ||= count === at && when === "before";
    assert.ok(!isDead, "the process has died");
    const result = await act();
    isDead ||= count === at;
    assert.ok(!isDead, "the process has died");
    return result;
  };
  return {
    ...files,
    append: (path, values) => live(path, () => files.append(path, values)),
    exclusively: (path, work) => live(path, () => files.exclusively(path, work)),
  };
}

storeContract("sqlite", createHarness);
storeApprovalsContract("sqlite", createHarness);
storePairingsContract("sqlite", createHarness);
storeOutboxContract("sqlite", createHarness);
storeSessionsContract("sqlite", createHarness);
storeTranscriptsContract("sqlite", createHarness);
storeLedgersContract("sqlite", createHarness);
storeDueContract("sqlite", createHarness);
