/** Reads a picture that a person sent, for the model. The file lies where the agent can write, so nothing about it is taken for granted. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { imageHeaderBytes, pickImageType } from "../base/image-type.ts";
import { openWithin, useFolder } from "../base/open-within.ts";
import type { ChannelAttachment } from "../contracts/message.ts";
import type { ImageContent } from "../contracts/model.ts";

/** Providers refuse more than 5 MiB as base64, which makes four characters of three bytes. */
const maxImageBytes = (5 * 1024 * 1024 * 3) / 4;

/** Undefined when it is none that models take, too large, gone, or reached through a link. Never throws. */
export async function readImage(workspaceDir: string, file: ChannelAttachment): Promise<ImageContent | undefined> {
  try {
    const folder = await openWithin(workspaceDir, dirname(file.localPath));
    if (!folder) return undefined;
    const path = folder.entry(basename(file.localPath));
    const handle = await useFolder(folder, () =>
      open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
    );
    try {
      return await readFrom(handle);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

async function readFrom(handle: FileHandle): Promise<ImageContent | undefined> {
  const info = await handle.stat();
  if (!info.isFile() || info.size > maxImageBytes) return undefined;
  // By its first bytes, not by its name; the rest is read only if it is one.
  const header = Buffer.alloc(Math.min(info.size, imageHeaderBytes));
  await handle.read(header, 0, header.length, 0);
  const mimeType = pickImageType(header);
  if (mimeType === undefined) return undefined;
  const bytes = Buffer.alloc(info.size);
  const { bytesRead } = await handle.read(bytes, 0, info.size, 0);
  return { type: "image", data: bytes.subarray(0, bytesRead).toString("base64"), mimeType };
}
