/**
 * The store of a data directory for commands that look, or post a letter, beside a mom that may be running. Whatever
 * happens, a guest writes no file of the channel folders: those have one writer, the running mom.
 */
import { existsSync } from "node:fs";
import { StoreError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { Store } from "../contracts/store.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import { buildLayout, type JsonlFiles, openStore } from "../store/index.ts";

export interface GuestDeps {
  dataDir: string;
  clock: Clock;
  log: Log;
}

export async function openGuestStore({ dataDir, clock, log }: GuestDeps): Promise<Store> {
  return openStore({
    layout: buildLayout(dataDir),
    clock,
    log,
    role: "guest",
    wrapFiles: toReadOnly,
    // Asked only when a damaged database is rebuilt, and a guest never does that.
    routesOf: () => {
      throw buildRefusal();
    },
  });
}

/** Has mom ever been started there? Opening the store of a folder where she has not would make one. */
export const hasStore = (dataDir: string): boolean => existsSync(buildLayout(dataDir).databasePath);

/** The last entries of a session, oldest first. Empty too when the session has just begun anew. */
export async function readTranscript(
  store: Store,
  key: SessionKey,
  maxEntries: number,
): Promise<{ entries: TranscriptEntry[]; cut: boolean }> {
  try {
    return await store.transcripts.context(key, maxEntries);
  } catch (error) {
    // The store begins the file of a new session when it is first asked for; as a guest it may not, so there is none yet.
    if (isRefusal(error)) return { entries: [], cut: false };
    throw error;
  }
}

const buildRefusal = () =>
  new StoreError("GUEST_MAY_NOT_WRITE", "This command may not write to the channel folders.", {
    hint: "This is a bug in mom: please report which command you ran.",
  });

const isRefusal = (error: unknown) => error instanceof StoreError && error.code === "GUEST_MAY_NOT_WRITE";

function toReadOnly(files: JsonlFiles): JsonlFiles {
  const refuse = async () => {
    throw buildRefusal();
  };
  return { ...files, append: refuse, exclusively: refuse };
}
