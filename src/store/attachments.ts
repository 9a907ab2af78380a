/** Files that came with messages: written under a safe name, capped, whole or not at all, in a folder that is no link. */
import { randomBytes } from "node:crypto";
import { type FileHandle, rename, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { ChannelError } from "../base/errors.ts";
import { useFolder } from "../base/open-within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ChannelAttachment, ChannelRef } from "../contracts/message.ts";
import type { ChannelStore } from "../contracts/store.ts";
import type { Layout } from "./layout.ts";
import { createFile, ensureDirOf, type Grounds } from "./open-regular.ts";

interface AttachmentDeps {
  layout: Layout;
  grounds: Grounds;
  clock: Clock;
}

export function createAttachments({ layout, grounds, clock }: AttachmentDeps): Pick<ChannelStore, "saveAttachment"> {
  return {
    async saveAttachment(channel, { filename, data, mimeType, maxBytes }): Promise<ChannelAttachment> {
      const name = buildSafeName(filename, clock.now());
      const temporary = `.${name}.part`;
      const localPath = toLocalPath(layout, channel, name);
      return useFolder(await ensureDirOf(grounds, join(grounds.root, localPath)), async (folder) => {
        try {
          const size = await writeCapped(await createFile(folder, temporary), data, maxBytes, filename);
          await rename(folder.entry(temporary), folder.entry(name));
          return { filename, localPath, size, ...(mimeType !== undefined && { mimeType }) };
        } catch (error) {
          await rm(folder.entry(temporary), { force: true }).catch(() => undefined);
          throw error;
        }
      });
    },
  };
}

const toLocalPath = (layout: Layout, channel: ChannelRef, name: string) =>
  join(layout.channelFolder(channel), "attachments", name);

/** Time and chance make it unique; of the sender's name only harmless characters stay. */
function buildSafeName(filename: string, nowMs: number): string {
  const base = filename.split(/[\\/]/).at(-1) ?? "";
  const extension = extname(base)
    .replace(/[^A-Za-z0-9.]/g, "")
    .slice(0, 12);
  const stem = base
    .slice(0, base.length - extname(base).length)
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 60);
  return `${nowMs}-${randomBytes(3).toString("hex")}-${stem || "file"}${extension === "." ? "" : extension}`;
}

/** Closes the file. */
async function writeCapped(
  file: FileHandle,
  data: AsyncIterable<Uint8Array>,
  maxBytes: number,
  filename: string,
): Promise<number> {
  let size = 0;
  try {
    for await (const chunk of data) {
      size += chunk.byteLength;
      if (size > maxBytes) {
        throw new ChannelError("ATTACHMENT_TOO_LARGE", `"${filename}" is larger than the ${maxBytes} bytes allowed`, {
          hint: "Send a smaller file, or raise the limit of the channel.",
        });
      }
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return size;
}
