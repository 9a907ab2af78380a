/**
 * Sessions that are forgotten for good: the rows go in one transaction with a note of what else has to go, then the
 * transcripts, then the note. Whatever a crash leaves undone is done when the store is next opened.
 */
import { errorText, StoreError } from "../base/errors.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Sessions } from "../contracts/store.ts";
import type { Database } from "./database.ts";
import { json, text } from "./row.ts";
import type { SessionRows } from "./sessions.ts";
import type { TranscriptFiles } from "./transcripts.ts";

export interface Deletions extends Pick<Sessions, "delete"> {
  /** Finishes what was begun. Returns a sentence for each that could not be. */
  resume(): Promise<string[]>;
}

interface DeletionDeps {
  db: Database;
  sessions: SessionRows;
  transcripts: Pick<TranscriptFiles, "forget">;
}

const scope = "deleted-sessions";

export function createDeletions({ db, sessions, transcripts }: DeletionDeps): Deletions {
  // A unary plus keeps the column's index out of the plan: open turns are few, a session's turns are many.
  // Those that wait behind `but` begin when it is over, in what it leaves them.
  const openTurn = db.prepare(
    `SELECT 1 FROM turns WHERE state IN ('received', 'queued', 'running') AND +session_key = ?1 AND id IS NOT ?2
     AND seq < coalesce((SELECT seq FROM turns WHERE id = ?2), seq + 1) LIMIT 1`,
  );
  const note = db.prepare(
    "INSERT INTO kv (scope, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const noted = db.prepare("SELECT key, value FROM kv WHERE scope = ?");
  const unnote = db.prepare("DELETE FROM kv WHERE scope = ? AND key = ?");

  const dropRows = (key: SessionKey, but: TurnId | undefined) =>
    db.transaction(() => {
      const session = sessions.find(key);
      if (!session) return undefined;
      if (openTurn.get(key, but ?? null)) throw busy(key);
      sessions.dropInTransaction(key);
      note.run(scope, key, JSON.stringify(session));
      return session;
    });
  const removeFiles = async (session: SessionEntry) => {
    await transcripts.forget(session);
    unnote.run(scope, session.sessionKey);
  };
  /** Spoken to again since, in the same folder: what lies there may be of the new one, so it all stays. */
  const isBack = ({ sessionKey, channel }: SessionEntry) => {
    const present = sessions.find(sessionKey)?.channel;
    return present?.adapter === channel.adapter && present.channelId === channel.channelId;
  };

  return {
    async delete(key, but) {
      const session = dropRows(key, but);
      // Nothing may come between: a session that begins anew under this key must find its files gone.
      if (session) await removeFiles(session);
      return session !== undefined;
    },
    async resume() {
      const failures: string[] = [];
      for (const row of noted.all(scope)) {
        const session = json<SessionEntry>(row, "value");
        try {
          if (isBack(session)) unnote.run(scope, text(row, "key"));
          else await removeFiles(session);
        } catch (error) {
          failures.push(
            `Transcripts of ${session.sessionKey}, which was deleted, are still there: ${errorText(error)}`,
          );
        }
      }
      return failures;
    },
  };
}

const busy = (key: SessionKey) =>
  new StoreError("SESSION_BUSY", `A turn of ${key} waits or runs, so it cannot be deleted`, {
    hint: "Stop it first, or wait until it is over.",
    retryable: true,
  });
