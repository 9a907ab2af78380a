/** Auth profiles and providers as people read them: state, rests, last use. Never a secret: there is none in a status. */

import { formatMoment } from "../base/format-values.ts";
import type { ProfileStatus } from "../contracts/model.ts";
import type { Column } from "./format-table.ts";
import { formatAge } from "./format-values.ts";

export const buildProfileColumns = (nowMs: number): Column<ProfileStatus>[] => [
  { title: "PROFILE", toText: ({ id }) => id },
  { title: "TYPE", toText: ({ type }) => (type === "oauth" ? "login" : type.replace("_", " ")) },
  { title: "FROM", toText: ({ from }) => from },
  { title: "LAST USED", toText: ({ lastUsed }) => (lastUsed === undefined ? "never" : formatAge(nowMs - lastUsed)) },
  { title: "STATE", toText: formatState },
];

/** `ready`, `disabled until 2026-11-16 01:45 (no credit)`, `ready; claude-x rests until …`. */
export function formatState({ state, until, reason, coolingModels }: ProfileStatus): string {
  const rests = coolingModels.map((cooling) => `${cooling.model} rests until ${formatMoment(cooling.until)}`);
  const when = until === undefined ? "" : ` until ${formatMoment(until)}`;
  return [`${state}${when}${reason === undefined ? "" : ` (${reason})`}`, ...rests].join("; ");
}
