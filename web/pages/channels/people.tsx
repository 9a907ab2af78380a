/** People in chats: those who ask to be let in, and those who were. */
import type { PairingSummary } from "../../../src/gateway/protocol/index.ts";
import { call, can, useCall } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Await, type Column, EmptyState, Note, Table, When } from "../../ui/index.ts";
import { whyNot } from "../../ui/why-not.ts";

export function People() {
  const pairings = useCall("pairing.list", can("pairing.list") ? {} : undefined, { refreshOn: ["pairing.changed"] });
  const refusal = whyNot("pairing.list");
  return (
    <section class="stack" aria-labelledby="people">
      <h2 id="people">People</h2>
      {refusal !== undefined ? (
        <Note>{refusal}</Note>
      ) : (
        <Await of={pairings}>{({ pairings: all }) => <Lists all={all} onChanged={pairings.reload} />}</Await>
      )}
    </section>
  );
}

function Lists({ all, onChanged }: { all: readonly PairingSummary[]; onChanged(): void }) {
  const waiting = all.filter(({ state }) => state === "pending");
  const approved = all.filter(({ state }) => state === "approved");
  if (all.length === 0) {
    return (
      <EmptyState icon="user" title="Nobody has asked">
        A stranger who writes to mom is given a code. It appears here, and you decide.
      </EmptyState>
    );
  }
  return (
    <>
      {waiting.length > 0 && (
        <>
          <h3>Asking to be let in</h3>
          <p class="muted">Let somebody in only if they told you their code themselves.</p>
          <Table caption="Asking to be let in" columns={waitingColumns(onChanged)} rows={waiting} keyOf={keyOf} />
        </>
      )}
      {approved.length > 0 && (
        <>
          <h3>Let in</h3>
          <Table caption="Let in" columns={approvedColumns(onChanged)} rows={approved} keyOf={keyOf} />
        </>
      )}
    </>
  );
}

const keyOf = ({ adapter, senderId }: PairingSummary) => `${adapter} ${senderId}`;

const whoColumn: Column<PairingSummary> = {
  key: "who",
  label: "Who",
  isWide: true,
  render: ({ username, senderId }) => (
    <span class="pairing-who">
      {username} <span class="muted small">{senderId}</span>
    </span>
  ),
};
const whereColumn: Column<PairingSummary> = { key: "where", label: "Where", render: ({ adapter }) => adapter };

const waitingColumns = (onChanged: () => void): Column<PairingSummary>[] => [
  whoColumn,
  whereColumn,
  {
    key: "code",
    label: "Code",
    render: ({ code }) => (code === undefined ? "–" : <code class="pairing-code">{code}</code>),
  },
  { key: "asked", label: "Asked", render: ({ createdAt }) => <When at={createdAt} /> },
  { key: "ends", label: "Ends", render: ({ expiresAt }) => (expiresAt === undefined ? "–" : <When at={expiresAt} />) },
  {
    key: "do",
    label: "Answer",
    render: (pairing) => (
      <div class="buttons">
        <Approve pairing={pairing} onChanged={onChanged} />
        <Revoke pairing={pairing} onChanged={onChanged} />
      </div>
    ),
  },
];

const approvedColumns = (onChanged: () => void): Column<PairingSummary>[] => [
  whoColumn,
  whereColumn,
  { key: "since", label: "Since", render: ({ approvedAt, createdAt }) => <When at={approvedAt ?? createdAt} /> },
  { key: "by", label: "By", render: ({ approvedBy }) => approvedBy ?? "–" },
  { key: "do", label: "Trust", render: (pairing) => <Revoke pairing={pairing} onChanged={onChanged} /> },
];

interface AnswerProps {
  pairing: PairingSummary;
  onChanged(): void;
}

function Approve({ pairing: { code, adapter, username }, onChanged }: AnswerProps) {
  const approve = async () => {
    if (code === undefined) return undefined;
    await call("pairing.approve", { code, adapter });
    onChanged();
    return `${username} is let in.`;
  };
  return (
    <ActionButton
      needs="pairing.approve"
      size="small"
      variant="primary"
      about={username}
      reason={code === undefined ? "There is no code any more: they have to write again." : undefined}
      run={approve}
    >
      Let in
    </ActionButton>
  );
}

function Revoke({ pairing: { adapter, senderId, username, state }, onChanged }: AnswerProps) {
  const isPending = state === "pending";
  const revoke = async () => {
    await call("pairing.revoke", { adapter, senderId });
    onChanged();
    return isPending ? `${username} was sent away.` : `${username} is no longer let in.`;
  };
  const question = {
    title: `Take the trust from ${username}?`,
    text: `Mom no longer answers ${username} on ${adapter}. They can ask again.`,
    action: "Take it away",
    isDangerous: true,
  };
  return (
    <ActionButton
      needs="pairing.revoke"
      size="small"
      about={username}
      run={revoke}
      {...(!isPending && { ask: question })}
    >
      {isPending ? "Send away" : "Revoke…"}
    </ActionButton>
  );
}
