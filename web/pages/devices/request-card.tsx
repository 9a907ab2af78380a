/** A device that asks to be let in: what it says of itself, where it asks from, and what it would be given. */
import { useState } from "preact/hooks";
import type { DeviceRequest, Scope } from "../../../src/gateway/protocol/index.ts";
import { call, identity } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { When } from "../../ui/index.ts";
import { ScopeChoice } from "./scope-choice.tsx";
import { formatScopes, grantable } from "./scope-words.ts";

export function RequestCard({ request, onChanged }: { request: DeviceRequest; onChanged(): void }) {
  const { requestId, name, role } = request;
  const mine = grantable(identity.value);
  const [scopes, setScopes] = useState<Scope[]>(() => request.scopes.filter((scope) => mine.includes(scope)));
  const approve = async () => {
    await call("device-pair.approve", { requestId, ...(role === "operator" && { scopes }) });
    onChanged();
    return `${name} is let in.`;
  };
  const reject = async () => {
    await call("device-pair.reject", { requestId });
    onChanged();
    return `${name} was sent away.`;
  };
  return (
    <section class="card stack" aria-label={`${name} asks to be let in`}>
      <h3>{name}</h3>
      <Facts
        of={[
          ["Asks to be", role === "node" ? "a node: a machine that offers commands" : "an operator"],
          ["Asks for", formatScopes(role, request.scopes)],
          ["Platform", request.platform],
          ["From", request.address],
          ["Request", <code>{requestId}</code>],
          ["Device", <code>{request.deviceId}</code>],
          ["Asked", <When at={request.createdAt} />],
          ["Ends", <When at={request.expiresAt} />],
        ]}
      />
      <p class="muted">Let it in only if it is yours: the page that waits there names the same request.</p>
      {role === "operator" && <ScopeChoice label="What it may do" value={scopes} onChange={setScopes} />}
      <div class="buttons">
        <ActionButton
          needs="device-pair.approve"
          variant="primary"
          reason={role === "operator" && scopes.length === 0 ? "Choose what it may do." : undefined}
          run={approve}
        >
          Let in
        </ActionButton>
        <ActionButton needs="device-pair.reject" run={reject}>
          Send away
        </ActionButton>
      </div>
    </section>
  );
}
