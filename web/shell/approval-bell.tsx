/** How many calls wait for a person's word, wherever they run; leads to the oldest one. */
import { can, useCall } from "../connection.ts";
import { href } from "../router.ts";
import { Icon } from "../ui/index.ts";

export function ApprovalBell() {
  const params = can("approvals.list") ? {} : undefined;
  const { data } = useCall("approvals.list", params, { refreshOn: ["approval.requested", "approval.resolved"] });
  const pending = data?.approvals.filter(({ state }) => state === "pending") ?? [];
  const oldest = pending.at(-1);
  if (!oldest) return null;
  const text = pending.length === 1 ? "1 call waits for your word" : `${pending.length} calls wait for your word`;
  return (
    <a class="bell" href={href("chat", oldest.sessionKey)} title={text}>
      <Icon name="shield" size={18} />
      <span aria-hidden="true">{pending.length}</span>
      <span class="visually-hidden">{text}</span>
    </a>
  );
}
