/**
 * Addresses for files: each good for one file and a short while, given over the connection to somebody who is let in, so that
 * a browser needs no secret to load or send one. Uploads wait here for the message that they belong to.
 */
import { rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { openWithin, useFolder } from "../../base/open-within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import { newSecret } from "../auth/secrets.ts";
import type { FileTickets } from "../methods/method-deps.ts";
import type { Identity } from "../parts.ts";
import { GatewayFault, type Result } from "../protocol/index.ts";
import { pickFileType } from "./file-type.ts";
import { type OpenFile, openBelow, openPosted } from "./open-file.ts";

export interface Upload {
  readonly sessionKey: SessionKey;
  readonly filename: string;
  readonly size: number;
  readonly mimeType?: string;
  readonly ownerId: string;
  /** Asked for, on its way, or lying there until a message takes it. */
  state: "open" | "coming" | "there";
  attachment?: ChannelAttachment;
  cancelTimer(): void;
}

export interface Download {
  filename: string;
  /** Undefined: it is not there any more. */
  open(): Promise<OpenFile | undefined>;
}

export interface TicketOffice extends FileTickets {
  upload(ticket: string): Upload | undefined;
  /** It has come and lies in the session's folder. */
  keep(ticket: string, attachment: ChannelAttachment): void;
  download(ticket: string): Download | undefined;
  /** What this identity was given is worth nothing from now on. */
  dropOf(identityId: string): void;
  stop(): void;
}

interface TicketDeps {
  house: Pick<GatewayHouse, "workspaceDir" | "store">;
  clock: Clock;
  log: Log;
}

export const maxUploadBytes = 100 * 1024 * 1024;
const maxWaitingBytes = 512 * 1024 * 1024;
const mostUploads = 200;
const mostDownloads = 2000;
const uploadWithinMs = 10 * 60_000;
/** Between the upload and the message that takes it. */
const takeWithinMs = 60 * 60_000;
const downloadWithinMs = 10 * 60_000;

export function createFileTickets({ house, clock, log }: TicketDeps): TicketOffice {
  const uploads = new Map<string, Upload>();
  const downloads = new Map<string, Download & { until: number; ownerId: string }>();

  const drop = (ticket: string) => {
    const upload = uploads.get(ticket);
    if (!upload) return;
    upload.cancelTimer();
    uploads.delete(ticket);
    if (upload.attachment) removeFile(house.workspaceDir, upload.attachment, log);
  };
  const ensureRoom = (size: number) => {
    if (size > maxUploadBytes) throw refuse("INVALID_REQUEST", `Files may have up to ${maxUploadBytes} bytes.`);
    const waiting = [...uploads.values()].reduce((sum, upload) => sum + upload.size, 0);
    if (uploads.size < mostUploads && waiting + size <= maxWaitingBytes) return;
    throw refuse("UNAVAILABLE", "Too many uploads wait for their messages.");
  };
  const find = (uploadId: string, owner: Identity, sessionKey: SessionKey) => {
    const upload = uploads.get(uploadId);
    return upload?.ownerId === owner.id && upload.sessionKey === sessionKey ? upload : undefined;
  };
  const offer = async (
    filename: string,
    { id: ownerId }: Identity,
    open: Download["open"],
  ): Promise<Result<"files.open"> | undefined> => {
    const found = await open();
    if (!found) return undefined;
    await found.file.close();
    for (const [ticket, { until }] of downloads) if (until <= clock.monotonic()) downloads.delete(ticket);
    const oldest = downloads.keys().next().value;
    if (downloads.size >= mostDownloads && oldest !== undefined) downloads.delete(oldest);
    const ticket = newSecret();
    downloads.set(ticket, { filename, ownerId, open, until: clock.monotonic() + downloadWithinMs });
    const mimeType = pickFileType(filename, found.imageType);
    return { url: addressOf(ticket), filename, size: found.size, mimeType, expiresAt: clock.now() + downloadWithinMs };
  };

  return {
    createUpload({ owner, ...file }) {
      ensureRoom(file.size);
      const ticket = newSecret();
      const cancelTimer = clock.after(uploadWithinMs, () => drop(ticket));
      uploads.set(ticket, { ...file, ownerId: owner.id, state: "open", cancelTimer });
      return { uploadId: ticket, url: addressOf(ticket), expiresAt: clock.now() + uploadWithinMs };
    },
    hasUpload: (uploadId, owner, sessionKey) => find(uploadId, owner, sessionKey)?.attachment !== undefined,
    takeUpload(uploadId, owner, sessionKey) {
      const upload = find(uploadId, owner, sessionKey);
      if (!upload?.attachment) return undefined;
      upload.cancelTimer();
      uploads.delete(uploadId);
      return upload.attachment;
    },
    openWorkspaceFile: (path, owner) => offer(basename(path), owner, () => openBelow(house.workspaceDir, path)),
    async openPostedFile(deliveryId, owner) {
      // A plain string is as good as a branded one to look something up.
      const delivery = await house.store.outbox.get(deliveryId as DeliveryId);
      const body = delivery?.body;
      if (delivery?.state !== "sent" || body?.type !== "file") return undefined;
      return offer(body.filename, owner, () => openPosted(body));
    },
    upload: (ticket) => uploads.get(ticket),
    keep(ticket, attachment) {
      const upload = uploads.get(ticket);
      // Its owner was sent away while it came.
      if (!upload) return removeFile(house.workspaceDir, attachment, log);
      upload.cancelTimer();
      upload.state = "there";
      upload.attachment = attachment;
      upload.cancelTimer = clock.after(takeWithinMs, () => drop(ticket));
    },
    download(ticket) {
      const found = downloads.get(ticket);
      return found && found.until > clock.monotonic() ? found : undefined;
    },
    dropOf(identityId) {
      for (const [ticket, { ownerId }] of uploads) if (ownerId === identityId) drop(ticket);
      for (const [ticket, { ownerId }] of downloads) if (ownerId === identityId) downloads.delete(ticket);
    },
    stop() {
      for (const { cancelTimer } of uploads.values()) cancelTimer();
    },
  };
}

const addressOf = (ticket: string) => `/files/${ticket}`;

function removeFile(workspaceDir: string, { localPath }: ChannelAttachment, log: Log): void {
  const remove = async () => {
    const folder = await openWithin(workspaceDir, dirname(localPath));
    if (folder) await useFolder(folder, ({ entry }) => rm(entry(basename(localPath)), { force: true }));
  };
  remove().catch((error: unknown) => log.warn("An upload that nobody took could not be removed", { localPath, error }));
}

const refuse = (code: "INVALID_REQUEST" | "UNAVAILABLE", message: string) =>
  new GatewayFault({ code, message, ...(code === "UNAVAILABLE" && { retryable: true, retryAfterMs: 60_000 }) });
