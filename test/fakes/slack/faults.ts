/** Faults that wait for their call or event. Each is used once. */
import type { Fault } from "../platform.ts";

export type CallFault = Extract<Fault, { type: "status" | "cut" | "slow" }>;
type EventFault = Extract<Fault, { type: "duplicate" | "reorder" | "late" }>;

/** A fault that names no method is about a post. */
const post = "chat.postMessage";

export interface FaultList {
  add(fault: CallFault | EventFault): void;
  takeForCall(method: string): CallFault | undefined;
  /** Passes an event on through `send`, as the next event fault says. */
  passEvent(send: () => void): void;
}

export function createFaultList(): FaultList {
  const calls: CallFault[] = [];
  const events: EventFault[] = [];
  let held: { send: () => void; isAfterNext: boolean } | undefined;
  return {
    add(fault) {
      if (fault.type === "status" || fault.type === "cut" || fault.type === "slow") calls.push(fault);
      else events.push(fault);
    },
    takeForCall(method) {
      const index = calls.findIndex((fault) => (fault.method ?? post) === method);
      return index < 0 ? undefined : calls.splice(index, 1)[0];
    },
    passEvent(send) {
      if (held) {
        const { send: sendHeld, isAfterNext } = held;
        held = undefined;
        for (const each of isAfterNext ? [send, sendHeld] : [sendHeld, send]) each();
        return;
      }
      const fault = events.shift();
      if (fault?.type === "reorder" || fault?.type === "late") {
        held = { send, isAfterNext: fault.type === "reorder" };
        return;
      }
      send();
      if (fault) send();
    },
  };
}
