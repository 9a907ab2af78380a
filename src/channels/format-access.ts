/** Who may talk through an adapter, on one line: `2 admins; direct: 3 people or by code; groups: all`. */
import type { AccessRules, GroupRules } from "../contracts/channel.ts";

export function formatAccess({ admins, dm, pairing, groups, bots = [] }: AccessRules): string {
  const directly = dm === "everyone" ? "everyone" : formatPeople(dm === "none" ? [] : dm);
  const byCode = pairing && dm !== "everyone" ? " or by code" : "";
  return [
    formatNumber(admins.length, "admin"),
    `direct: ${directly}${byCode}`,
    `groups: ${groups ? formatGroups(groups) : "all"}`,
    ...(bots.length > 0 ? [formatNumber(bots.length, "bot")] : []),
  ].join("; ");
}

function formatGroups({ allow, senders, requireMention, chats }: GroupRules): string {
  if (allow.length === 0) return "none";
  const own = Object.keys(chats).length;
  return [
    allow === "everyone" ? "all" : String(allow.length),
    ...(senders === "everyone" ? [] : [`answers ${formatPeople(senders)}`]),
    ...(requireMention ? [] : ["without a mention"]),
    ...(own > 0 ? [`${own} with own rules`] : []),
  ].join(", ");
}

const formatPeople = (ids: readonly string[]) =>
  ids.length === 0 ? "nobody else" : ids.length === 1 ? "1 person" : `${ids.length} people`;

const formatNumber = (count: number, what: string) =>
  count === 0 ? `no ${what}` : `${count} ${what}${count === 1 ? "" : "s"}`;
