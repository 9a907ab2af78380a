/** Reads a picture that a person sent, for the model. The file lies where the agent can write, so nothing about it is taken for granted. */
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { imageHeaderBytes, pickImageType } from "../base/image-type.ts";
import type { ChannelAttachment } from "../contracts/message.ts";
import type { ImageContent } from "../contracts/model.ts";

/** Providers refuse more than 5 MiB as base64, which makes four characters of three bytes. */
const maxImageBytes = (5 * 1024 * 1024 * 3) / 4;

/** Undefined when it is none that models take, too large, gone, or not inside the workspace. Never throws. */
export async function readImage(workspaceDir: string, file: ChannelAttachment): Promise<ImageContent | undefined> {
  try {
    const path = await realpath(join(workspaceDir, file.localPath));
    if (!path.startsWith((await realpath(workspaceDir)) + sep) || !(await lstat(path)).isFile()) return undefined;
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      // By its first bytes, not by its name; the rest is read only if it is one.
      const header = Buffer.alloc(Math.min(size, imageHeaderBytes));
      await handle.read(header, 0, header.length, 0);
      const mimeType = pickImageType(header);
      if (mimeType === undefined || size > maxImageBytes) return undefined;
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      return { type: "image", data: bytes.subarray(0, bytesRead).toString("base64"), mimeType };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
