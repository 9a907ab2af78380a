/** What the server tells without being asked. Events of a session go to whoever follows it (`events.subscribe`). */
import type { TSchema } from "typebox";
import { heartbeatEvent } from "./automation-shapes.ts";
import { flag, json, list, moment, type Of, oneOf, optional, record, strict, text } from "./kit.ts";
import type { Requirement } from "./scopes.ts";
import {
  approval,
  channelRef,
  channelStatus,
  chatItem,
  deviceRequest,
  logLine,
  presence,
  turnStates,
} from "./shapes.ts";

export interface EventSpec {
  summary: string;
  /** What one must hold to be told. */
  needs: Requirement;
  /** Belongs to a session: only its followers are told. */
  ofSession: boolean;
  payload: TSchema;
}

const events = {
  "chat.message": {
    summary: "Somebody said something in the session",
    needs: "read",
    ofSession: true,
    payload: strict({ turnId: optional(text), messageId: text, channel: channelRef, item: chatItem }),
  },
  agent: {
    summary: "A running turn goes on: text, thinking, tools, retries (AgentSessionEvent)",
    needs: "read",
    ofSession: true,
    payload: strict({ turnId: text, event: record }),
  },
  "chat.post": {
    summary: "Mom said something in the session: a reply, an aside, a file",
    needs: "read",
    ofSession: true,
    payload: strict({
      turnId: optional(text),
      deliveryId: text,
      channel: channelRef,
      text: optional(text),
      file: optional(strict({ filename: text })),
      /** Said while the turn goes on. */
      isAside: optional(flag),
    }),
  },
  "chat.edit": {
    summary: "Mom changed or, without a text, took back something that she said in the web chat",
    needs: "read",
    ofSession: true,
    payload: strict({ channel: channelRef, deliveryId: text, text: optional(text) }),
  },
  "chat.end": {
    summary: "A turn is over, all its posts delivered",
    needs: "read",
    ofSession: true,
    payload: strict({ turnId: text, state: turnStates, mergedInto: optional(text), error: optional(text) }),
  },
  "session.changed": {
    summary: "A session is new, began afresh, was renamed or is gone",
    needs: "read",
    ofSession: false,
    payload: strict({ sessionKey: text }),
  },
  "approval.requested": {
    summary: "A call waits for a person's word",
    needs: "read",
    ofSession: false,
    payload: strict({ approval }),
  },
  "approval.resolved": {
    summary: "It was answered, or nobody waits any more",
    needs: "read",
    ofSession: false,
    payload: strict({ id: text, sessionKey: text }),
  },
  "pairing.changed": {
    summary: "Somebody in a chat asks to be let in, was, or is no longer",
    needs: "pairing",
    ofSession: false,
    payload: strict({}),
  },
  "device-pair.requested": {
    summary: "A device asks to be let in",
    needs: "pairing",
    ofSession: false,
    payload: strict({ request: deviceRequest }),
  },
  "device-pair.resolved": {
    summary: "A device was let in, sent away or revoked",
    needs: "pairing",
    ofSession: false,
    payload: strict({ deviceId: text, outcome: oneOf("approved", "rejected", "revoked") }),
  },
  "channels.changed": {
    summary: "A chat platform's state has changed",
    needs: "read",
    ofSession: false,
    payload: strict({ channels: list(channelStatus) }),
  },
  "config.changed": {
    summary: "An edited config is in use, or was refused",
    needs: "read",
    ofSession: false,
    payload: strict({ outcome: oneOf("applied", "invalid", "rolled-back"), detail: text }),
  },
  cron: {
    summary: "A job was made, changed, taken away, or has run; without an id perhaps several",
    needs: "read",
    ofSession: false,
    payload: strict({ jobId: optional(text) }),
  },
  heartbeat: {
    summary: "An agent has looked by itself whether something is to be said",
    needs: "read",
    ofSession: false,
    payload: heartbeatEvent,
  },
  memory: {
    summary: "The index of what an agent remembers has begun, gone on, or is up to date",
    needs: "read",
    ofSession: false,
    payload: strict({ agentId: text }),
  },
  presence: {
    summary: "Somebody connected or left",
    needs: "read",
    ofSession: false,
    payload: strict({ clients: list(presence) }),
  },
  log: {
    summary: "A line of the log, for those who follow it",
    needs: "admin",
    ofSession: false,
    payload: strict({ line: logLine }),
  },
  "node.invoke": {
    summary: "A node is asked to run one of its commands",
    needs: "node",
    ofSession: false,
    payload: strict({ invokeId: text, command: text, args: record, expiresAt: moment }),
  },
  shutdown: {
    summary: "Mom stops; the connection is closed next",
    needs: "any",
    ofSession: false,
    payload: strict({ reason: text, detail: optional(json) }),
  },
} as const satisfies Record<string, EventSpec>;

export const eventSpecs = events;
export type EventName = keyof typeof events;
export type Payload<Name extends EventName> = Of<(typeof events)[Name]["payload"]>;
export const isEventName = (name: string): name is EventName => Object.hasOwn(events, name);
