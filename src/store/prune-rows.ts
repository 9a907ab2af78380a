/** Drops finished work that is old. An inbox row goes with its turn, so it stays as long as the turn is open. */
import { pruneApprovalsSql } from "./approvals.ts";
import type { Database } from "./database.ts";
import { pruneOccurrencesSql } from "./due.ts";

/** Rows of each kind that go at a time: the event loop is not held for long. */
const pruneBatch = 2000;

export function pruneRows(db: Database, olderThan: number): number {
  const messages = db.prepare(
    `DELETE FROM inbox WHERE seq IN (SELECT i.seq FROM inbox i LEFT JOIN turns t ON t.seq = i.seq
     WHERE i.received_at < ? AND (t.id IS NULL OR t.state IN ('done', 'failed', 'stopped'))
     ORDER BY i.received_at LIMIT ${pruneBatch})`,
  );
  const posts = db.prepare(
    `DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE updated_at < ? AND state IN ('sent', 'failed')
     ORDER BY updated_at LIMIT ${pruneBatch})`,
  );
  // Posts that wait for an adapter which has been gone for so long wait for nobody.
  const stale = db.prepare(
    `UPDATE outbox SET state = 'failed', error = 'Its adapter has not run for too long', updated_at = created_at
     WHERE state = 'pending' AND created_at < ?`,
  );
  const staleTurns = db.prepare(
    `UPDATE turns SET state = 'failed' WHERE state = 'delivering' AND updated_at < ?
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE turn_id = turns.id AND state IN ('pending', 'sending'))`,
  );
  const approvals = db.prepare(pruneApprovalsSql(pruneBatch));
  const occurrences = db.prepare(pruneOccurrencesSql(pruneBatch));
  return db.transaction(() => {
    stale.run(olderThan);
    staleTurns.run(olderThan);
    return [approvals, occurrences, messages, posts].reduce((sum, each) => sum + each.run(olderThan).changes, 0);
  });
}
