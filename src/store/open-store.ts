/** Opens a data directory: lock, database, files, repairs; and joins the parts into the `Store` port. */
import { randomBytes } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { relative } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";
import { ensureWithin } from "../base/open-within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Store, StoreFinding } from "../contracts/store.ts";
import { createApprovals } from "./approvals.ts";
import { createAttachments } from "./attachments.ts";
import { createChannelLogs } from "./channel-logs.ts";
import { type Database, openDatabase } from "./database.ts";
import { createDeletions } from "./deletions.ts";
import { createDueClock } from "./due.ts";
import { createInbox } from "./inbox.ts";
import { createJsonlFiles, type JsonlFiles } from "./jsonl-files.ts";
import { createKeyValue } from "./kv.ts";
import type { Layout } from "./layout.ts";
import type { Grounds } from "./open-regular.ts";
import { createOutbox } from "./outbox.ts";
import { createPairings } from "./pairings.ts";
import { type ProcessLock, takeProcessLock } from "./process-lock.ts";
import { pruneRows } from "./prune-rows.ts";
import { listChannels, rebuildFromFiles, salvageStandingOrders, setAside } from "./rebuild.ts";
import { removeFolder } from "./remove-folder.ts";
import { salvageDue } from "./salvage-due.ts";
import { createSessions } from "./sessions.ts";
import { createStandingOrders } from "./standing-orders.ts";
import { createTranscripts } from "./transcripts.ts";
import { createTurns } from "./turns.ts";
import { createUsage } from "./usage.ts";

export interface OpenStoreDeps {
  layout: Layout;
  clock: Clock;
  log: Log;
  /** The sessions that a channel's messages can belong to, the likeliest first; needed only to rebuild a lost database. */
  routesOf(channel: ChannelRef): SessionRoute[];
  /** Stands between the store and its JSON lines; tests put faults there. */
  wrapFiles?(files: JsonlFiles): JsonlFiles;
  /**
   * `owner` runs turns and is alone on the directory. A `guest` beside it may read and post letters, and takes no work.
   */
  role: "owner" | "guest";
}

const outsideChangeMs = 400;
/** Up to this size the database is checked at every start (a few milliseconds), beyond it only after a crash. */
const alwaysCheckedBytes = 16 * 1024 * 1024;

export async function openStore(deps: OpenStoreDeps): Promise<Store> {
  const { layout, clock, log, role } = deps;
  const findings = createFindings(log);
  await makeFolders(deps, findings);
  const lock = role === "owner" ? await takeProcessLock(layout, clock.now()) : undefined;
  try {
    const mustCheck =
      lock !== undefined && (lock.afterCrash || (await sizeOf(layout.databasePath)) <= alwaysCheckedBytes);
    return await openChecked(deps, lock, findings, mustCheck);
  } catch (error) {
    // Whether the last run ended cleanly is still to be looked into by the next start.
    lock?.release({ clean: !lock.afterCrash });
    throw error;
  }
}

/** Opens the database and everything on it; one that turns out to be damaged on the way is set aside, once. */
async function openChecked(
  deps: OpenStoreDeps,
  lock: ProcessLock | undefined,
  findings: Findings,
  mustCheck: boolean,
  alreadyAside?: string,
): Promise<Store> {
  const files = buildFiles(deps, findings);
  const { db, aside = alreadyAside } = await openOrSetAside(deps, mustCheck, findings);
  try {
    const store = assemble(deps, db, files, findings, () => lock?.release({ clean: !db.isDamaged }));
    if (lock) {
      // The lock says that every other owner is gone, so their leases end here.
      for (const table of ["turns", "outbox"])
        db.prepare(`UPDATE ${table} SET lease_until = 0 WHERE lease_until > 0`).run();
      await store.repair(aside);
    }
    return store;
  } catch (error) {
    await files.close();
    const mayTryAgain = db.isDamaged && lock !== undefined && aside === undefined;
    db.close();
    if (!mayTryAgain) throw error;
    return openChecked(deps, lock, findings, false, await setAsideDamaged(deps, findings));
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

interface Findings {
  list: StoreFinding[];
  add(finding: StoreFinding): void;
}

const mostFindings = 100;

/** Said when found: some damage shows only when a file is first used. */
function createFindings(log: Log): Findings {
  const list: StoreFinding[] = [];
  return {
    list,
    add(finding) {
      log[finding.level](finding.message, { code: finding.code });
      if (list.length < mostFindings) list.push(finding);
    },
  };
}

async function makeFolders({ layout, role }: OpenStoreDeps, findings: Findings): Promise<void> {
  const { dataDir, stateDir, workspaceDir, channelsDir } = layout;
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await mkdir(workspaceDir, { recursive: true });
    // A guest moves nothing under the feet of the one who runs.
    if (role === "guest") return;
    const channels = await ensureWithin(workspaceDir, relative(workspaceDir, channelsDir), toOnAside(findings));
    await channels.close();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError("STORE_NOT_WRITABLE", `${dataDir} cannot be written (${systemCode(error)})`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
}

/** Programs can put links and the like where files and folders of the workspace should be. */
const toOnAside =
  (findings: Findings): Grounds["onAside"] =>
  (path, aside) => {
    const message = `Something else stood in the place of ${path}; it is now ${aside}, and mom begins there anew`;
    findings.add({ level: "error", code: "FILE_SET_ASIDE", message });
  };

function buildFiles({ layout, wrapFiles }: OpenStoreDeps, findings: Findings): JsonlFiles {
  const onAside = toOnAside(findings);
  const files = createJsonlFiles(layout.workspaceDir, ({ path, kind, detail }) => {
    if (kind === "set-aside") return onAside(path, detail);
    findings.add(
      kind === "torn-tail"
        ? { level: "warn", code: "TORN_LINE_MENDED", message: `${path} ended in half a line (${detail}); mended` }
        : {
            level: "warn",
            code: "BAD_LINE_SKIPPED",
            message: `${path} has a line that is not JSON, skipped: ${detail}`,
          },
    );
  });
  return wrapFiles ? wrapFiles(files) : files;
}

/** A damaged database is noticed when it cannot be read, or by a check. */
async function openOrSetAside(
  deps: OpenStoreDeps,
  mustCheck: boolean,
  findings: Findings,
): Promise<{ db: Database /** Where a damaged one was put; this one is new then. */; aside?: string }> {
  const { layout, role } = deps;
  try {
    const db = openDatabase(layout.databasePath);
    const damage = mustCheck ? db.findDamage(false) : undefined;
    if (damage === undefined) return { db };
    db.close();
    throw new StoreError("DATABASE_DAMAGED", `${layout.databasePath} is damaged (${damage})`);
  } catch (error) {
    if (role === "guest" || !(error instanceof StoreError) || error.code !== "DATABASE_DAMAGED") throw error;
    const aside = await setAsideDamaged(deps, findings);
    return { db: openDatabase(layout.databasePath), aside };
  }
}

async function setAsideDamaged({ layout, clock }: OpenStoreDeps, findings: Findings): Promise<string> {
  const aside = await setAside(layout.databasePath, clock.now());
  findings.add({
    level: "error",
    code: "DATABASE_REBUILT",
    message: `The database was damaged. It is kept as ${aside}; a new one was made from the channel folders. Turns that were under way, pending posts, usage, and who was let in by \`mom pair\` could not be recovered.`,
  });
  return aside;
}

const ordersLost: StoreFinding = {
  level: "error",
  code: "STANDING_ORDERS_LOST",
  message:
    "Standing orders could not be read from the damaged database: what an owner has forbidden is not in force any more. Look at `/rule list` and give them again.",
};

const jobsLost: StoreFinding = {
  level: "error",
  code: "JOBS_LOST",
  message:
    "Reminders and jobs could not be read from the damaged database: none is due any more. Event files and heartbeats begin anew.",
};

function assemble(
  deps: OpenStoreDeps,
  db: Database,
  files: JsonlFiles,
  findings: Findings,
  unlock: () => void,
): Store & { repair(aside: string | undefined): Promise<void> } {
  const { layout, clock, log, routesOf, role } = deps;
  const owner = `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
  const sessions = createSessions({ db, clock });
  const grounds: Grounds = { root: layout.workspaceDir, onAside: toOnAside(findings) };
  const transcripts = createTranscripts({ files, layout, grounds, clock, sessions });
  const logs = createChannelLogs({ db, files, layout, clock, log });
  const usage = createUsage({ db, clock });
  const outbox = createOutbox({ db, clock, owner, logs });
  const turns = createTurns({
    db,
    clock,
    owner,
    outbox,
    usage,
    transcripts,
    sessions,
    logs,
    // The inbox ends turns, and the end of a turn may be a letter: each needs the other.
    acceptInTransaction: (letter) => inbox.acceptInTransaction(letter),
  });
  const pairings = createPairings({ db, clock, outbox });
  const inbox = createInbox({ db, clock, turns, logs, pairings });
  const due = createDueClock({ db, clock, inbox, outbox, logs });
  const deletions = createDeletions({ db, sessions, transcripts });
  const ensureMayRemove = () => {
    if (role === "owner") return;
    throw new StoreError(
      "GUEST_MAY_NOT_WRITE",
      "Only the mom that runs on this data directory removes what lies in it",
      {
        hint: "This is a bug in mom: please report what you did.",
      },
    );
  };
  const stopWatching = new Set<() => void>();

  const presence = createPresence(layout, log);

  return {
    inbox: {
      ...inbox,
      async accept(letter) {
        presence.ensure();
        return inbox.accept(letter);
      },
    },
    turns,
    outbox,
    sessions: {
      ...sessions,
      async reset(key, by, to) {
        if (to !== undefined) await transcripts.ensureLife(key, to);
        return sessions.reset(key, by, to);
      },
      async delete(key, but) {
        ensureMayRemove();
        return deletions.delete(key, but);
      },
    },
    transcripts,
    usage,
    due: {
      ...due,
      async settle(item, end, at) {
        presence.ensure();
        return due.settle(item, end, at);
      },
    },
    standingOrders: createStandingOrders({ db, clock }),
    approvals: createApprovals({ db, clock }),
    pairings,
    kv: createKeyValue(db),
    channels: {
      tail: logs.tail,
      list: () => listChannels(layout),
      folder: layout.channelFolder,
      ...createAttachments({ layout, grounds, clock }),
      async remove(channel) {
        ensureMayRemove();
        const dir = layout.channelDir(channel);
        const removeDir = () => removeFolder(grounds.root, dir);
        await logs.drop(channel, () => transcripts.exclusively(channel, removeDir));
      },
    },
    findings: findings.list,
    async repair(aside) {
      await presence.look();
      if (aside !== undefined) {
        const found = await rebuildFromFiles({ db, files, layout, clock, sessions, routesOf });
        const orders = salvageStandingOrders(db, aside);
        const jobs = salvageDue(db, aside);
        const message = `Recovered ${found.messages} message ids, ${found.sessions} sessions, ${orders ?? 0} standing orders, and ${jobs ?? 0} reminders, jobs and the like`;
        findings.add({ level: "info", code: "DATABASE_REBUILT", message });
        if (orders === undefined) findings.add(ordersLost);
        if (jobs === undefined) findings.add(jobsLost);
      }
      for (const message of await deletions.resume()) {
        findings.add({ level: "warn", code: "SESSION_NOT_REMOVED", message });
      }
      const healed = await logs.heal();
      if (healed > 0) {
        const message = `${healed} lines that a crash had kept out of the channel logs were written`;
        findings.add({ level: "info", code: "LOG_HEALED", message });
      }
    },
    onOutsideChange(handler) {
      let version = db.dataVersion();
      let cancel: () => void;
      const look = () => {
        cancel = clock.after(outsideChangeMs, look);
        void presence.look();
        try {
          const now = db.dataVersion();
          if (now !== version) handler();
          version = now;
        } catch (error) {
          log.warn("The database could not be asked for changes", { error });
        }
      };
      cancel = clock.after(outsideChangeMs, look);
      const stop = () => cancel();
      stopWatching.add(stop);
      return () => {
        stop();
        stopWatching.delete(stop);
      };
    },
    async prune(olderThan) {
      return pruneRows(db, olderThan);
    },
    async close() {
      for (const stop of stopWatching) stop();
      // A guest leaves the files to their one writer; the owner will write what the guest has posted.
      if (role === "owner") await logs.close();
      await files.close();
      db.close();
      unlock();
    },
  };
}

/**
 * Is the database still the file that lies there? One that was deleted or exchanged under a running mom goes on taking
 * rows that nobody will ever find; then it is better to take no more messages and to say so.
 */
function createPresence(layout: Layout, log: Log): { look(): Promise<void>; ensure(): void } {
  let inode: number | undefined;
  let isGone = false;
  return {
    async look() {
      const found = await stat(layout.databasePath).then(
        ({ ino }) => ino,
        () => -1,
      );
      inode ??= found;
      if (found === inode || isGone) return;
      isGone = true;
      log.error(`${layout.stateDir} was removed or replaced while mom runs; no more messages are taken in`, {
        hint: "Put it back and restart mom.",
      });
    },
    ensure() {
      if (!isGone) return;
      throw new StoreError("DATA_DIR_GONE", `${layout.stateDir} was removed or replaced while mom runs`, {
        hint: "Put it back, or leave it away to begin afresh, and restart mom.",
      });
    },
  };
}
