/** What the session was before it began afresh; each can be gone back to. */
import type { Result, SessionLifeSummary, SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { call, type Loaded, newKey } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Badge, Card, type Column, formatBytes, Table, When } from "../../ui/index.ts";

interface LivesProps {
  session: SessionSummary;
  history: Loaded<Result<"sessions.history">>;
  onChanged(): void;
}

export function Lives({ session, history, onChanged }: LivesProps) {
  const lives = history.data?.lives ?? [];
  if (lives.every(({ isPresent }) => isPresent)) return null;
  const open = async (life: SessionLifeSummary) => {
    await call("sessions.reset", { sessionKey: session.sessionKey, to: life.sessionId, idempotencyKey: newKey() });
    onChanged();
    return "Mom is back in that conversation.";
  };
  const columns: Column<SessionLifeSummary>[] = [
    {
      key: "name",
      label: "Conversation",
      isWide: true,
      render: ({ name, opening, isPresent }) => (
        <span class="life-name">
          <span class="clamp">{name ?? opening ?? "Without a word"}</span>
          {isPresent && <Badge tone="accent">present</Badge>}
        </span>
      ),
    },
    { key: "started", label: "Began", render: ({ startedAt }) => <When at={startedAt} /> },
    { key: "updated", label: "Last word", render: ({ updatedAt }) => <When at={updatedAt} /> },
    { key: "size", label: "Size", isNumber: true, render: ({ bytes }) => formatBytes(bytes) },
    {
      key: "open",
      label: "Go back",
      render: (life) =>
        life.isPresent ? (
          "–"
        ) : (
          <ActionButton
            needs="sessions.reset"
            size="small"
            about={`to ${life.name ?? life.opening?.slice(0, 60) ?? "this conversation"}`}
            reason={session.isRunning ? "A turn runs in the session." : undefined}
            run={() => open(life)}
            ask={{
              title: "Go back to this conversation?",
              text: "The session goes on from there. The present conversation is kept among the earlier lives.",
              action: "Go back",
            }}
          >
            Go back
          </ActionButton>
        ),
    },
  ];
  return (
    <Card title="Earlier lives">
      <Table caption="Lives of the session" columns={columns} rows={lives} keyOf={({ sessionId }) => sessionId} />
    </Card>
  );
}
