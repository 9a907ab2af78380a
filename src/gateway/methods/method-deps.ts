/** What the methods of the gateway stand on, and the shape of a group of them: one file per group, joined in `create-handlers`. */
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import type { Connections, Devices, EventLog, Handlers, Identity, TurnFeed } from "../parts.ts";
import type { MethodName, Result } from "../protocol/index.ts";

export interface MethodDeps {
  house: GatewayHouse;
  devices: Devices;
  connections: Connections;
  files: FileTickets;
  feed: TurnFeed;
  events: EventLog;
  clock: Clock;
  log: Log;
}

/** Files over HTTP: an address that is good for one file and a short while, for as long as its owner is let in. */
export interface FileTickets {
  createUpload(file: {
    sessionKey: SessionKey;
    filename: string;
    size: number;
    mimeType?: string;
    owner: Identity;
  }): Result<"files.upload">;
  /** Whether it has come and may be taken. */
  hasUpload(uploadId: string, owner: Identity, sessionKey: SessionKey): boolean;
  /** What was uploaded, for the same owner and session; undefined where it is not there (any more). Taken once. */
  takeUpload(uploadId: string, owner: Identity, sessionKey: SessionKey): ChannelAttachment | undefined;
  /** `path`: relative to the workspace. Undefined: no such regular file there. */
  openWorkspaceFile(path: string, owner: Identity): Promise<Result<"files.open"> | undefined>;
  openPostedFile(deliveryId: string, owner: Identity): Promise<Result<"files.open"> | undefined>;
}

/** The handlers of some methods; asking for exactly these names keeps a group complete. */
export type Group<Names extends MethodName> = Required<Pick<Handlers, Names>>;
