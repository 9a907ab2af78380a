/** What can be done with a session: open it, sum it up, begin it afresh, remove it. */
import { useState } from "preact/hooks";
import type { SessionSummary } from "../../../src/gateway/protocol/index.ts";
import { call, newKey } from "../../connection.ts";
import { nameOfSession } from "../../names.ts";
import { go, href } from "../../router.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button, Dialog, Icon, Note, TextArea, TextField } from "../../ui/index.ts";

interface ActionsProps {
  session: SessionSummary;
  onChanged(): void;
}

export function SessionActions({ session, onChanged }: ActionsProps) {
  const { sessionKey } = session;
  const [open, setOpen] = useState<"compact" | "delete" | undefined>();
  const close = () => setOpen(undefined);
  const running = session.isRunning ? "A turn runs in it. Stop it in the chat first, or wait." : undefined;
  const reset = async () => {
    await call("sessions.reset", { sessionKey, idempotencyKey: newKey() });
    onChanged();
    return "The session has begun afresh.";
  };
  const show = (what: "compact" | "delete") => () => {
    setOpen(what);
    return undefined;
  };
  return (
    <div class="buttons">
      <a class="button button-primary button-medium" href={href("chat", sessionKey)}>
        <Icon name="chat" size={18} />
        Open in chat
      </a>
      <ActionButton needs="sessions.compact" run={show("compact")}>
        Sum up…
      </ActionButton>
      <ActionButton
        needs="sessions.reset"
        reason={running}
        run={reset}
        ask={{
          title: "Begin this session afresh?",
          text: "Mom forgets the conversation here. It is kept, and can be opened again under earlier lives.",
          action: "Begin afresh",
        }}
      >
        Begin afresh…
      </ActionButton>
      <ActionButton needs="sessions.delete" reason={running} icon="trash" variant="danger" run={show("delete")}>
        Delete…
      </ActionButton>
      <CompactDialog isOpen={open === "compact"} sessionKey={sessionKey} onClose={close} />
      <DeleteDialog isOpen={open === "delete"} session={session} onClose={close} />
    </div>
  );
}

function CompactDialog({ isOpen, sessionKey, onClose }: { isOpen: boolean; sessionKey: string; onClose(): void }) {
  const [typed, setTyped] = useState("");
  const compact = async () => {
    const instructions = typed.trim();
    await call("sessions.compact", {
      sessionKey,
      idempotencyKey: newKey(),
      ...(instructions !== "" && { instructions }),
    });
    setTyped("");
    onClose();
    return "Mom sums it up now, and says in the session when it is done.";
  };
  return (
    <Dialog
      isOpen={isOpen}
      title="Sum up the conversation"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton needs="sessions.compact" variant="primary" run={compact}>
            Sum up
          </ActionButton>
        </>
      }
    >
      <div class="stack">
        <p>The older part is replaced by a summary in what the model is sent. The transcript keeps everything.</p>
        <TextArea
          label="What the summary should keep"
          hint="May be left empty."
          rows={4}
          maxLength={10_000}
          value={typed}
          onInput={setTyped}
        />
      </div>
    </Dialog>
  );
}

function DeleteDialog({ isOpen, session, onClose }: { isOpen: boolean; session: SessionSummary; onClose(): void }) {
  const [typed, setTyped] = useState("");
  const name = nameOfSession(session).trim();
  const remove = async () => {
    await call("sessions.delete", { sessionKey: session.sessionKey, idempotencyKey: newKey() });
    onClose();
    go("sessions");
    return `"${name}" is gone.`;
  };
  return (
    <Dialog
      isOpen={isOpen}
      title="Delete the session?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton
            needs="sessions.delete"
            variant="danger"
            reason={typed.trim() === name ? undefined : "Type the name first."}
            run={remove}
          >
            Delete for good
          </ActionButton>
        </>
      }
    >
      <div class="stack">
        <Note tone="bad">All its transcripts are removed, those of earlier lives too. This cannot be undone.</Note>
        <TextField
          label={`Type "${name}" to go on`}
          autoComplete="off"
          spellcheck={false}
          value={typed}
          onInput={setTyped}
        />
      </div>
    </Dialog>
  );
}
