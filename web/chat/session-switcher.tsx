/** Another conversation: agents first, then all sessions, newest first, with search. */
import { useEffect, useState } from "preact/hooks";
import type { SessionSummary } from "../../src/gateway/protocol/index.ts";
import { can, useCall } from "../connection.ts";
import { nameOfSession } from "../names.ts";
import { go } from "../router.ts";
import { Await, Badge, Dialog, Icon, TextField, When } from "../ui/index.ts";

interface SwitcherProps {
  isOpen: boolean;
  onClose(): void;
  /** The present one. */
  sessionKey: string;
}

export function SessionSwitcher({ isOpen, onClose, sessionKey }: SwitcherProps) {
  return (
    <Dialog isOpen={isOpen} title="Conversations" onClose={onClose}>
      <Choices
        sessionKey={sessionKey}
        onPick={(key) => {
          onClose();
          go("chat", key);
        }}
      />
    </Dialog>
  );
}

function Choices({ sessionKey, onPick }: { sessionKey: string; onPick(key: string): void }) {
  const [search, setSearch] = useState("");
  const asked = useSettled(search.trim(), 150);
  const sessions = useCall(
    "sessions.list",
    { limit: 50, ...(asked !== "" && { search: asked }) },
    { refreshOn: ["session.changed"] },
  );
  return (
    <div class="stack">
      <TextField
        label="Search conversations"
        isLabelHidden
        type="search"
        placeholder="Search by name, place or key…"
        autoComplete="off"
        value={search}
        onInput={setSearch}
      />
      {asked === "" && <Agents sessionKey={sessionKey} onPick={onPick} />}
      <Await of={sessions}>
        {(found) =>
          found.sessions.length === 0 ? (
            <p class="muted">No conversation fits.</p>
          ) : (
            <ul class="session-list" aria-label="Conversations">
              {found.sessions.map((session) => (
                <SessionRow
                  key={session.sessionKey}
                  session={session}
                  isPresent={session.sessionKey === sessionKey}
                  onPick={onPick}
                />
              ))}
            </ul>
          )
        }
      </Await>
    </div>
  );
}

interface RowProps {
  session: SessionSummary;
  isPresent: boolean;
  onPick(key: string): void;
}

function SessionRow({ session, isPresent, onPick }: RowProps) {
  return (
    <li>
      <button
        type="button"
        class="session-row"
        aria-current={isPresent ? "true" : undefined}
        onClick={() => onPick(session.sessionKey)}
      >
        <span class="session-row-name">
          <span class="truncate">{nameOfSession(session)}</span>
          {session.isRunning && <Badge tone="accent">running</Badge>}
        </span>
        <span class="muted small truncate">
          {session.lastChannel.adapter} · <When at={session.updatedAt} />
        </span>
        {isPresent && <Icon name="check" size={18} />}
      </button>
    </li>
  );
}

/** Only where there are several: one needs no choice. */
function Agents({ sessionKey, onPick }: { sessionKey: string; onPick(key: string): void }) {
  const { data } = useCall("agents.list", can("agents.list") ? {} : undefined);
  if (!data || data.agents.length < 2) return null;
  return (
    <div>
      <h3 class="small muted">Agents</h3>
      <ul class="agent-list">
        {data.agents.map(({ id, name, emoji, mainSessionKey }) => (
          <li key={id}>
            <button
              type="button"
              class="agent-row"
              aria-current={mainSessionKey === sessionKey ? "true" : undefined}
              onClick={() => onPick(mainSessionKey)}
            >
              {emoji === undefined ? <Icon name="user" size={18} /> : <span aria-hidden="true">{emoji}</span>}
              <span class="truncate">{name ?? id}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function useSettled(value: string, delayMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
