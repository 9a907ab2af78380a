/** Makers of ids. Sortable where order helps people (turns, deliveries), random where it must not be guessed. */
import { randomBytes, randomUUID } from "node:crypto";
import type { ApprovalId, DeliveryId, EntryId, SessionId, TurnId } from "../contracts/ids.ts";

/** 26 lower-case characters: time first, so that they sort by age. */
function sortableId(nowMs: number): string {
  return nowMs.toString(36).padStart(9, "0") + randomBytes(10).toString("hex").slice(0, 17);
}

export const newTurnId = (nowMs: number): TurnId => `t${sortableId(nowMs)}` as TurnId;
/** Typed by people: letters and digits that are not mistaken for each other. */
function typedId(): string {
  const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
  return Array.from(randomBytes(6), (byte) => alphabet[byte % alphabet.length]).join("");
}
export const newApprovalId = (): ApprovalId => typedId() as ApprovalId;
/** May be taken: whoever makes a job looks. */
export const newJobId = (): string => typedId();
export const newSessionId = (): SessionId => randomUUID() as SessionId;
export const newEntryId = (): EntryId => randomBytes(4).toString("hex") as EntryId;

/** The n-th post of a turn, or of one of its tool calls: the same however often the turn is resumed. */
export const deliveryIdOf = (origin: string, n: number): DeliveryId => `${origin}.${n}` as DeliveryId;
