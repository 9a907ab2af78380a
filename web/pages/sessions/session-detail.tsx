/** One session: its numbers, what can be set and done, its transcript and its earlier lives. */
import { useEffect, useState } from "preact/hooks";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { followSession, useCall } from "../../connection.ts";
import { nameOfSession } from "../../names.ts";
import { href } from "../../router.ts";
import { Facts } from "../../ui/facts.tsx";
import {
  Await,
  Badge,
  Card,
  CopyButton,
  EmptyState,
  formatCost,
  formatTokens,
  Icon,
  Stat,
  When,
} from "../../ui/index.ts";
import { formatPlace } from "./arrange-sessions.ts";
import { DailyUsage } from "./daily-usage.tsx";
import { Lives } from "./lives.tsx";
import { SessionActions } from "./session-actions.tsx";
import { SessionSettings } from "./session-settings.tsx";
import { Transcript } from "./transcript.tsx";

export function SessionDetail({ sessionKey }: { sessionKey: string }) {
  useEffect(() => followSession(sessionKey), [sessionKey]);
  const found = useCall(
    "chat.history",
    { sessionKey, limit: 1 },
    { refreshOn: ["session.changed", "chat.end", "chat.message"] },
  );
  return (
    <div class="page-body">
      <a class="back-link" href={href("sessions")}>
        <Icon name="left" size={16} />
        All sessions
      </a>
      <Await of={found}>
        {({ session }) =>
          session ? (
            <Present session={session} onChanged={found.reload} />
          ) : (
            <EmptyState icon="search" title="There is no such session">
              It was removed, or never began.
            </EmptyState>
          )
        }
      </Await>
    </div>
  );
}

function Present({ session, onChanged }: { session: SessionSummary; onChanged(): void }) {
  const history = useHistoryLimit(session);
  const changed = () => {
    onChanged();
    history.loaded.reload();
  };
  return (
    <>
      <header class="session-head">
        <h2>
          {nameOfSession(session)} <Badge>{session.type}</Badge>{" "}
          {session.isRunning && <Badge tone="accent">running</Badge>}
        </h2>
        <SessionActions session={session} onChanged={changed} />
      </header>
      <Numbers session={session} />
      <div class="session-columns">
        <SessionSettings session={session} onChanged={onChanged} />
        <div class="stack">
          <DailyUsage sessionKey={session.sessionKey} updatedAt={session.updatedAt} />
          <About session={session} />
        </div>
      </div>
      <Transcript history={history.loaded} hasMore={history.hasMore} onMore={history.more} />
      <Lives session={session} history={history.loaded} onChanged={changed} />
    </>
  );
}

const firstLimit = 500;
const mostLimit = 5000;

function useHistoryLimit({ sessionKey }: SessionSummary) {
  const [limit, setLimit] = useState(firstLimit);
  const loaded = useCall(
    "sessions.history",
    { sessionKey, limit },
    { refreshOn: ["session.changed", "chat.end", "chat.message"] },
  );
  return {
    loaded,
    hasMore: loaded.data?.isCut === true && limit < mostLimit,
    more: () => setLimit(mostLimit),
  };
}

function Numbers({ session }: { session: SessionSummary }) {
  return (
    <div class="grid-small session-stat">
      <Stat label="Tokens in" value={formatTokens(session.inputTokens)} />
      <Stat label="Tokens out" value={formatTokens(session.outputTokens)} />
      <Stat label="All tokens" value={formatTokens(session.totalTokens)} hint="with caches" />
      <Stat label="Cost" value={formatCost(session.cost)} />
      <Stat label="Last activity" value={<When at={session.updatedAt} />} />
      <Stat label="Created" value={<When at={session.createdAt} />} />
    </div>
  );
}

function About({ session }: { session: SessionSummary }) {
  const isElsewhere = formatPlace(session.channel) !== formatPlace(session.lastChannel);
  return (
    <Card title="About">
      <Facts
        of={[
          ["Agent", session.agentId],
          ["Lives in", formatPlace(session.channel)],
          ["Last message from", isElsewhere ? formatPlace(session.lastChannel) : undefined],
          ["Answered last", session.model],
          [
            "Key",
            <span class="session-key">
              <code>{session.sessionKey}</code>
              <CopyButton text={session.sessionKey} label="Copy the key" />
            </span>,
          ],
          ["Tools", <a href={href("tools", session.sessionKey)}>What it may use, and why not</a>],
        ]}
      />
    </Card>
  );
}
