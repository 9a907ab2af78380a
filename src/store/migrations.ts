/** The schema, as numbered steps. A step that was released is never changed; a new one is added at the end. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    adapter TEXT NOT NULL, channel_id TEXT NOT NULL, message_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT,
    message TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX inbox_once ON inbox (adapter, channel_id, message_id);
  CREATE INDEX inbox_heard ON inbox (adapter, channel_id, seq) WHERE verdict = 'heard';
  CREATE INDEX inbox_age ON inbox (received_at);

  CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL UNIQUE REFERENCES inbox (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL, lane TEXT NOT NULL, state TEXT NOT NULL,
    session_key TEXT NOT NULL, route TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0, releases INTEGER NOT NULL DEFAULT 0,
    stop_requested INTEGER NOT NULL DEFAULT 0,
    stopped TEXT, outcome TEXT, error TEXT, merged_into TEXT,
    lease_owner TEXT, lease_until INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_received ON turns (seq) WHERE state = 'received';
  CREATE INDEX turns_queued ON turns (seq) WHERE state = 'queued';
  CREATE INDEX turns_queued_lane ON turns (lane, seq) WHERE state = 'queued';
  CREATE INDEX turns_running_lane ON turns (lane) WHERE state = 'running';
  CREATE INDEX turns_state ON turns (state);
  CREATE INDEX turns_session ON turns (session_key, seq);

  CREATE TABLE steps (
    turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    body TEXT NOT NULL, entries TEXT NOT NULL,
    PRIMARY KEY (turn_id, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE seen (
    session_key TEXT NOT NULL, adapter TEXT NOT NULL, channel_id TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (session_key, adapter, channel_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    adapter TEXT NOT NULL, channel_id TEXT NOT NULL, turn_id TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, repeats INTEGER NOT NULL DEFAULT 0, uncertain INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL, message_id TEXT, error TEXT,
    lease_owner TEXT, lease_until INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outbox_open ON outbox (adapter, channel_id, seq) WHERE state IN ('pending', 'sending');
  CREATE INDEX outbox_turn ON outbox (turn_id) WHERE turn_id IS NOT NULL;
  CREATE INDEX outbox_age ON outbox (updated_at);

  CREATE TABLE log_lines (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    adapter TEXT NOT NULL, channel_id TEXT NOT NULL, line TEXT NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    session_key TEXT PRIMARY KEY, session_id TEXT NOT NULL,
    type TEXT NOT NULL, agent_id TEXT NOT NULL,
    adapter TEXT NOT NULL, channel_id TEXT NOT NULL, last_adapter TEXT NOT NULL, last_channel_id TEXT NOT NULL,
    model TEXT, model_provider TEXT, thinking_level TEXT, label TEXT, spawned_by TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    total_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0,
    reset_by TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage (
    day TEXT NOT NULL, session_key TEXT NOT NULL, agent_id TEXT NOT NULL, model TEXT NOT NULL,
    calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (day, session_key, agent_id, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE kv (scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (scope, key))
    STRICT, WITHOUT ROWID;

  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, due_at INTEGER NOT NULL,
    adapter TEXT NOT NULL, channel_id TEXT NOT NULL, text TEXT NOT NULL, asked_by TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (due_at);
  `,
  `
  ALTER TABLE sessions ADD COLUMN chosen_model TEXT;
  ALTER TABLE sessions ADD COLUMN queue_mode TEXT;
  ALTER TABLE sessions ADD COLUMN is_quiet INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN auth_profile TEXT;

  ALTER TABLE steps ADD COLUMN session_id TEXT;
  ALTER TABLE steps ADD COLUMN parent TEXT;

  CREATE TABLE usage_by_sender (
    day TEXT NOT NULL, agent_id TEXT NOT NULL, session_key TEXT NOT NULL, sender TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL,
    calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (day, agent_id, session_key, sender, model)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage_by_sender (day, agent_id, session_key, model, calls, input, output, cache_read, cache_write, cost)
    SELECT day, agent_id, session_key, model, calls, input, output, cache_read, cache_write, cost FROM usage;
  DROP TABLE usage;
  ALTER TABLE usage_by_sender RENAME TO usage;
  CREATE INDEX usage_session ON usage (session_key, day);
  CREATE INDEX usage_sender ON usage (sender, day);

  CREATE TABLE standing_orders (
    agent_id TEXT NOT NULL, n INTEGER NOT NULL, turn_id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL, deny_tools TEXT NOT NULL, deny_recipients TEXT NOT NULL, given_by TEXT NOT NULL,
    created_at INTEGER NOT NULL, removed_at INTEGER,
    PRIMARY KEY (agent_id, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE life_names (
    session_key TEXT NOT NULL, session_id TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (session_key, session_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE schedules ADD COLUMN outside TEXT;

  CREATE INDEX outbox_message ON outbox (adapter, channel_id, message_id) WHERE message_id IS NOT NULL;

  CREATE TABLE approvals (
    id TEXT NOT NULL UNIQUE, turn_id TEXT NOT NULL, tool_call_id TEXT NOT NULL,
    session_key TEXT NOT NULL, agent_id TEXT NOT NULL, adapter TEXT NOT NULL, channel_id TEXT NOT NULL,
    sender TEXT NOT NULL, subject TEXT NOT NULL, hash TEXT NOT NULL, reason TEXT NOT NULL, rules TEXT NOT NULL,
    state TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    answered_at INTEGER, answered_by TEXT,
    UNIQUE (turn_id, tool_call_id)
  ) STRICT;
  CREATE INDEX approvals_pending ON approvals (expires_at) WHERE state = 'pending';
  CREATE INDEX approvals_age ON approvals (created_at);

  CREATE TABLE allow_rules (
    agent_id TEXT NOT NULL, n INTEGER NOT NULL, program TEXT NOT NULL, args TEXT NOT NULL, given_by TEXT NOT NULL,
    created_at INTEGER NOT NULL, removed_at INTEGER,
    PRIMARY KEY (agent_id, n)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX allow_rules_once ON allow_rules (agent_id, program, args) WHERE removed_at IS NULL;
  `,
  `
  CREATE TABLE pairings (
    adapter TEXT NOT NULL, sender_id TEXT NOT NULL, username TEXT NOT NULL, channel_id TEXT NOT NULL,
    code TEXT, created_at INTEGER NOT NULL, expires_at INTEGER, approved_at INTEGER, approved_by TEXT,
    PRIMARY KEY (adapter, sender_id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX pairings_code ON pairings (code) WHERE code IS NOT NULL;
  `,
  // Reminders become jobs (`CronJob` of `contracts/cron.ts`), due at the same time in the same chat.
  `
  CREATE TABLE due (
    source TEXT NOT NULL, id TEXT NOT NULL, due_at INTEGER, data TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (source, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX due_next ON due (due_at, source, id) WHERE due_at IS NOT NULL;

  CREATE TABLE occurrences (
    source TEXT NOT NULL, id TEXT NOT NULL, due_at INTEGER NOT NULL,
    state TEXT NOT NULL, reason TEXT, settled_at INTEGER NOT NULL, turn_id TEXT,
    PRIMARY KEY (source, id, due_at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX occurrences_newest ON occurrences (due_at);
  CREATE INDEX occurrences_age ON occurrences (settled_at);

  INSERT INTO due (source, id, due_at, data, created_at, updated_at)
    SELECT 'cron', id, due_at, json_object(
      'id', id,
      'name', coalesce(nullif(trim(substr(replace(text, char(10), ' '), 1, 60)), ''), 'reminder'),
      'enabled', json('true'), 'createdAtMs', created_at, 'updatedAtMs', created_at,
      'schedule', json_object('kind', 'at', 'atMs', due_at),
      'sessionTarget', 'main', 'wakeMode', 'now',
      'payload', json_object('kind', 'systemEvent', 'text', text),
      'home', json_patch(
        json_object('channel', json_object('adapter', adapter, 'channelId', channel_id), 'askedBy', json(asked_by)),
        json_object('outside', outside)),
      'state', json_object('nextRunAtMs', due_at)
    ), created_at, created_at FROM schedules;
  DROP TABLE schedules;
  `,
];
