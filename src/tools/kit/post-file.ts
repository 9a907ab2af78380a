/** Posts a file of the workspace to a chat through the outbox: what `attach`, `message` and `tts` have in common. */
import { basename } from "node:path";
import { ToolError } from "../../base/errors.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { formatBytes } from "./format-bytes.ts";

const maxFileBytes = 50 * 1024 * 1024;

/** On whose behalf, and from which chat. */
export type PostScope = Pick<ToolScope, "turnId" | "channel" | "sender"> & { session: Pick<SessionEntry, "type"> };

export interface FilePost {
  /** The same call, run again after a crash, is the same post. */
  id: DeliveryId;
  turnId: TurnId;
  channel: ChannelRef;
  path: string;
  caption?: string | undefined;
  /** What the platform takes. Absent: it is asked when the file goes out. */
  maxUploadBytes?: number;
}

export async function postFile(
  operations: Operations,
  outbox: Pick<Outbox, "post">,
  { id, turnId, channel, path, caption, maxUploadBytes = maxFileBytes }: FilePost,
): Promise<{ filename: string; bytes: number }> {
  const { real, size } = await findFile(operations, path, maxUploadBytes);
  const filename = basename(real);
  const body = {
    type: "file",
    path: real,
    filename,
    isReal: true,
    ...(caption === undefined ? {} : { caption }),
  } as const;
  await outbox.post([{ id, channel, turnId, body }]);
  return { filename, bytes: size };
}

/** The turn's chat, and in a direct one also the person, whom an order may name instead. */
export function listOwnRecipients({ channel, session, sender }: PostScope): string[] {
  const isDirect = session.type === "main" || session.type === "dm";
  const ids = [channel.channelId, ...(isDirect ? [sender.id] : [])];
  return ids.flatMap((id) => [id, `${channel.adapter}:${id}`]);
}

async function findFile(
  operations: Operations,
  path: string,
  maxUploadBytes: number,
): Promise<{ real: string; size: number }> {
  if (maxUploadBytes === 0) {
    throw new ToolError("CHAT_CANNOT", "That chat takes no files", {
      hint: "Say in the reply where the file is, or put its content into the text.",
    });
  }
  const real = await operations.resolve(path);
  const found = await operations.stat(real);
  if (found?.type !== "file") {
    throw new ToolError("FILE_NOT_FOUND", `"${path}" ${found === undefined ? "does not exist" : "is not a file"}`, {
      hint: "Look for it with ls or find.",
    });
  }
  const maxBytes = Math.min(maxFileBytes, maxUploadBytes);
  if (found.size > maxBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" has ${formatBytes(found.size)}; files up to ${formatBytes(maxBytes)} can be sent`,
      { hint: "Compress or split it." },
    );
  }
  return { real, size: found.size };
}
