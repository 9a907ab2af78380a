/** How each agent's heart beats: when it looked last, what came of it, and letting it look now. */
import type { HeartbeatStateSummary } from "../../../src/gateway/protocol/index.ts";
import { call, newKey, useCall } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Await, Badge, Card, formatDuration, Note, When } from "../../ui/index.ts";
import { describeBeat, describeReason } from "./words.ts";

export function HeartbeatCard() {
  const beats = useCall("heartbeat.status", {}, { refreshOn: ["heartbeat", "config.changed"] });
  return (
    <Card title="Heartbeat">
      <div class="stack">
        <p class="muted">
          Now and then mom looks by herself whether something is to be said, as HEARTBEAT.md in the workspace tells her.
          While that file is empty, it costs nothing.
        </p>
        <Await of={beats}>
          {({ agents }) =>
            agents.length === 0 ? (
              <Note>No agent has a heartbeat.</Note>
            ) : (
              <ul class="beats">
                {agents.map((state) => (
                  <Beat key={state.agentId} state={state} isOnly={agents.length === 1} />
                ))}
              </ul>
            )
          }
        </Await>
      </div>
    </Card>
  );
}

function Beat({ state, isOnly }: { state: HeartbeatStateSummary; isOnly: boolean }) {
  const { agentId, everyMs, isEnabled, nextAt, last } = state;
  const { text, tone } = describeBeat(state);
  const beat = async () => {
    await call("heartbeat.beat", { agentId, idempotencyKey: newKey() });
    return "Mom looks now.";
  };
  return (
    <li class="beat">
      <div class="beat-words">
        <div class="row">
          {!isOnly && <strong>{agentId}</strong>}
          <Badge tone={tone}>{text}</Badge>
          {last && (
            <span class="muted small">
              <When at={last.ts} />
              {last.to !== undefined && ` in ${last.to}`}
            </span>
          )}
        </div>
        {last?.preview !== undefined && <p class="beat-preview">{last.preview}</p>}
        {last?.reason !== undefined && <p class="small">{describeReason(last.reason)}</p>}
        <p class="muted small">
          {isEnabled ? `Every ${formatEvery(everyMs)}` : "Switched off in the config"}
          {isEnabled && nextAt !== undefined && (
            <>
              , next <When at={nextAt} />
            </>
          )}
        </p>
      </div>
      <ActionButton needs="heartbeat.beat" size="small" icon="doctor" about={agentId} run={beat}>
        Beat now
      </ActionButton>
    </li>
  );
}

/** Without the zeros: `30 min`, `1 h`. */
const formatEvery = (ms: number): string => formatDuration(ms).replace(/ 0 (?:s|min|h)$/, "");
