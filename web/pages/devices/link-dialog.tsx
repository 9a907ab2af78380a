/** Makes a one-time link that lets one browser in, or a code for a node. The link leads to where this page came from. */
import { useState } from "preact/hooks";
import type { Result, Role, Scope } from "../../../src/gateway/protocol/index.ts";
import { call, identity } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { formatCountdown } from "../../ui/format-countdown.ts";
import { Button, CopyButton, Dialog, Note, Select } from "../../ui/index.ts";
import { useTime } from "../../ui/use-tick.ts";
import { ScopeChoice } from "./scope-choice.tsx";
import { grantable } from "./scope-words.ts";

type Code = Result<"device-pair.code"> & { role: Role };

const roleOptions = [
  { value: "operator", label: "A browser or a terminal (operator)" },
  { value: "node", label: "A machine that offers commands (node)" },
] as const;

export function LinkDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog isOpen={isOpen} title="Let a device in" onClose={onClose}>
      <Making onClose={onClose} />
    </Dialog>
  );
}

function Making({ onClose }: { onClose(): void }) {
  const [code, setCode] = useState<Code | undefined>();
  return code ? (
    <Made code={code} onAgain={() => setCode(undefined)} onClose={onClose} />
  ) : (
    <Grant onMade={setCode} onClose={onClose} />
  );
}

function Grant({ onMade, onClose }: { onMade(code: Code): void; onClose(): void }) {
  const [role, setRole] = useState<Role>("operator");
  const [scopes, setScopes] = useState<Scope[]>(() => {
    const mine = grantable(identity.value);
    return mine.includes("admin") ? ["admin"] : [...mine];
  });
  const make = async () => {
    const made = await call("device-pair.code", { role, ...(role === "operator" && { scopes }) });
    onMade({ ...made, role });
    return undefined;
  };
  return (
    <div class="stack">
      <Select label="What it is" value={role} options={roleOptions} onChange={setRole} />
      {role === "operator" && <ScopeChoice label="What it may do" value={scopes} onChange={setScopes} />}
      <div class="form-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton
          needs="device-pair.code"
          variant="primary"
          reason={role === "operator" && scopes.length === 0 ? "Choose what it may do." : undefined}
          run={make}
        >
          {role === "operator" ? "Make the link" : "Make the code"}
        </ActionButton>
      </div>
    </div>
  );
}

function Made({ code, onAgain, onClose }: { code: Code; onAgain(): void; onClose(): void }) {
  const left = code.expiresAt - useTime(1000);
  const isOver = left <= 0;
  const text = code.role === "operator" ? `${location.origin}/#code=${encodeURIComponent(code.code)}` : code.code;
  return (
    <div class="stack">
      <p>
        {code.role === "operator"
          ? "Open this link in the other browser. It works once; whoever opens it first is let in."
          : "Give this code to the node. It works once; whoever uses it first is let in."}
      </p>
      <div class="one-time">
        <code>{text}</code>
        {!isOver && <CopyButton text={text} label={code.role === "operator" ? "Copy the link" : "Copy the code"} />}
      </div>
      {isOver ? (
        <Note tone="warn">It is too old and no longer works.</Note>
      ) : (
        <p class="muted number">Good for {formatCountdown(left)} more.</p>
      )}
      <div class="form-buttons">
        <Button onClick={onAgain}>Make another</Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
