/**
 * The fake's gateway: a session that outlives its socket. Every event goes into the session's log; a socket gets it when it is
 * there, and what a resumed session missed is replayed from its sequence on. Discord has no acknowledgements: what a client
 * has confirmed is the sequence that it names in a heartbeat or a resume.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  GatewayDispatchEvents,
  type GatewayIdentifyData,
  GatewayIntentBits,
  GatewayOpcodes,
  type GatewayRequestGuildMembersData,
  type GatewayResumeData,
} from "discord-api-types/v10";
import { type WebSocket, WebSocketServer } from "ws";
import { toGuild, toMember, toUser } from "./objects.ts";
import type { World } from "./world.ts";

export interface GatewayEvent {
  t: string;
  /** As a session with these intents sees it; undefined: not at all. */
  dataFor(intents: number): unknown;
  /** Set on what a person did: it waits to be confirmed. */
  mark?: string;
  /** A session that did not get it cannot find it in any history: the next one is told. */
  isOwed?: boolean;
  onConfirmed?(): void;
}

export interface GatewayOptions {
  world: World;
  /** `ws://…`, for READY. */
  url: string;
  heartbeatMs: number;
  isTokenValid(token: string): boolean;
  /** Which privileged intents the application may use. */
  allowed: { members: boolean; messageContent: boolean };
  onChange(): void;
}

export interface Gateway {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: GatewayEvent): void;
  /** `drop-socket`, `opcode-7`, `opcode-9`, `close-<code>`, `deaf`, `refuse-upgrade`. */
  break(how: string): void;
  /** It came to the client in another way. */
  confirm(mark: string): void;
  readonly unconfirmed: number;
  readonly identifies: number;
  readonly resumes: number;
  readonly connections: number;
  /** How often members were asked for over the gateway. */
  readonly membersAsked: number;
  close(): void;
}

interface Session {
  id: string;
  intents: number;
  events: { s: number; d: unknown; event: GatewayEvent }[];
  lastSequence: number;
  /** What was open when it began. Whoever confirms the server's event has read by then what it missed, or never will. */
  inherited: { marks: string[]; until: number };
  socket?: WebSocket;
}

const mostEvents = 20_000;

/** What can happen to whoever connects next; the others need a connection that is there. */
const isForNextLogin = (how: string) => how === "refuse-upgrade" || how === "opcode-9" || how.startsWith("close-");

export function createGateway({ world, url, heartbeatMs, isTokenValid, allowed, onChange }: GatewayOptions): Gateway {
  const server = new WebSocketServer({ noServer: true });
  const unconfirmed = new Set<string>();
  /** For the next chance: an upgrade, or a login on a socket. */
  const waiting: string[] = [];
  /** What happened before the first session counts as owed too. */
  let owed: GatewayEvent[] = [];
  let session: Session | undefined;
  let identifies = 0;
  let resumes = 0;
  let membersAsked = 0;
  let isDeaf = false;

  const send = (socket: WebSocket, payload: unknown) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
  };
  const deliver = ({ socket }: Session, { s, d, event }: Session["events"][number]) => {
    if (socket && !isDeaf) send(socket, { op: GatewayOpcodes.Dispatch, s, t: event.t, d });
  };
  const append = (to: Session, event: GatewayEvent) => {
    const d = event.dataFor(to.intents);
    if (d === undefined) return;
    const entry = { s: ++to.lastSequence, d, event };
    to.events.push(entry);
    if (to.events.length > mostEvents) to.events.shift();
    deliver(to, entry);
  };
  const tell = (to: Session, t: string, d: unknown) => append(to, { t, dataFor: () => d });
  const isOpen = ({ mark, isOwed }: GatewayEvent) => isOwed === true && mark !== undefined && unconfirmed.has(mark);
  const endSession = () => {
    owed.push(...(session?.events.map(({ event }) => event).filter(isOpen) ?? []));
    session = undefined;
  };
  const confirmUpTo = ({ events, inherited }: Session, sequence: number) => {
    if (sequence >= inherited.until) for (const mark of inherited.marks.splice(0)) unconfirmed.delete(mark);
    for (const { s, event } of events) {
      if (s > sequence) break;
      if (event.mark !== undefined && unconfirmed.delete(event.mark)) event.onConfirmed?.();
    }
  };
  const takeWaiting = (isIt: (how: string) => boolean) => {
    const at = waiting.findIndex(isIt);
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };

  function identify(socket: WebSocket, { token, intents }: GatewayIdentifyData): Session | undefined {
    identifies++;
    if (!isTokenValid(token)) return void socket.close(4004, "Authentication failed.");
    const asksFor = (bit: number) => (intents & bit) !== 0;
    const isDisallowed =
      (asksFor(GatewayIntentBits.GuildMembers) && !allowed.members) ||
      (asksFor(GatewayIntentBits.MessageContent) && !allowed.messageContent);
    if (isDisallowed) return void socket.close(4014, "Disallowed intent(s).");
    endSession();
    const late = owed;
    owed = [];
    const marks = [...unconfirmed].filter((mark) => !late.some((event) => event.mark === mark));
    const id = randomBytes(16).toString("hex");
    const made: Session = { id, intents, events: [], lastSequence: 0, inherited: { marks, until: 2 }, socket };
    session = made;
    tell(made, GatewayDispatchEvents.Ready, {
      v: 10,
      user: toUser(world.bot),
      guilds: [{ id: world.guildId, unavailable: true }],
      session_id: made.id,
      resume_gateway_url: url,
      application: { id: world.applicationId, flags: 0 },
      shard: [0, 1],
    });
    if (asksFor(GatewayIntentBits.Guilds)) {
      const sees = { members: asksFor(GatewayIntentBits.GuildMembers) };
      tell(made, GatewayDispatchEvents.GuildCreate, toGuild(world, sees));
    }
    for (const event of late) append(made, event);
    return made;
  }

  function resume(socket: WebSocket, { token, session_id, seq }: GatewayResumeData): Session | undefined {
    resumes++;
    if (!isTokenValid(token)) return void socket.close(4004, "Authentication failed.");
    if (session?.id === session_id && takeWaiting((how) => how === "opcode-9")) endSession();
    if (!session || session.id !== session_id || seq > session.lastSequence) {
      send(socket, { op: GatewayOpcodes.InvalidSession, d: false });
      return undefined;
    }
    session.socket?.terminate();
    session.socket = socket;
    confirmUpTo(session, seq);
    for (const entry of session.events) if (entry.s > seq) deliver(session, entry);
    tell(session, GatewayDispatchEvents.Resumed, {});
    return session;
  }

  function sendMembers(to: Session, { guild_id, nonce, ...asked }: GatewayRequestGuildMembersData): void {
    membersAsked++;
    const ids = "user_ids" in asked && asked.user_ids ? [asked.user_ids].flat() : [...world.people.keys()];
    const members = ids.flatMap((id) => world.people.get(id) ?? []).map((person) => toMember(person, 0));
    const more = nonce === undefined ? {} : { nonce };
    tell(to, GatewayDispatchEvents.GuildMembersChunk, { guild_id, members, chunk_index: 0, chunk_count: 1, ...more });
  }

  server.on("connection", (socket) => {
    let own: Session | undefined;
    // Whoever comes anew is heard: deafness belongs to the connection that was broken.
    isDeaf = false;
    send(socket, { op: GatewayOpcodes.Hello, d: { heartbeat_interval: heartbeatMs } });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (own?.socket === socket) delete own.socket;
      onChange();
    });
    socket.on("message", (data) => {
      const { op, d } = JSON.parse(String(data));
      const how = own ? undefined : takeWaiting((each) => each.startsWith("close-"));
      if (how !== undefined) return socket.close(Number(how.slice("close-".length)));
      if (op === GatewayOpcodes.Heartbeat) {
        if (own && typeof d === "number") confirmUpTo(own, d);
        send(socket, { op: GatewayOpcodes.HeartbeatAck });
      } else if (op === GatewayOpcodes.Identify) own = identify(socket, d);
      else if (op === GatewayOpcodes.Resume) own = resume(socket, d);
      else if (op === GatewayOpcodes.RequestGuildMembers && own) sendMembers(own, d);
      onChange();
    });
    onChange();
  });

  const breakSocket = (socket: WebSocket, how: string) => {
    if (how === "drop-socket") socket.terminate();
    else if (how === "opcode-7") send(socket, { op: GatewayOpcodes.Reconnect, d: null });
    else if (how === "opcode-9") {
      endSession();
      send(socket, { op: GatewayOpcodes.InvalidSession, d: false });
    } else if (how === "deaf") isDeaf = true;
    else if (how.startsWith("close-")) socket.close(Number(how.slice("close-".length)));
    else throw new Error(`The fake Discord knows no fault "${how}".`);
  };

  return {
    upgrade(request, socket, head) {
      if (takeWaiting((how) => how === "refuse-upgrade")) {
        socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        return onChange();
      }
      server.handleUpgrade(request, socket, head, (opened) => server.emit("connection", opened, request));
    },
    dispatch(event) {
      if (event.mark !== undefined) unconfirmed.add(event.mark);
      if (session) append(session, event);
      else if (event.isOwed || identifies === 0) owed.push(event);
      onChange();
    },
    break(how) {
      if (session?.socket && how !== "refuse-upgrade") breakSocket(session.socket, how);
      else if (isForNextLogin(how)) waiting.push(how);
      onChange();
    },
    confirm: (mark) => void unconfirmed.delete(mark),
    get unconfirmed() {
      return unconfirmed.size;
    },
    get identifies() {
      return identifies;
    },
    get resumes() {
      return resumes;
    },
    get membersAsked() {
      return membersAsked;
    },
    get connections() {
      return server.clients.size;
    },
    close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
