/** Addresses for files: bytes go over HTTP, under tickets that these methods give. */
import { findSession } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound } from "./refusals.ts";

export function buildFileMethods({ house, files }: MethodDeps): Group<"files.upload" | "files.open"> {
  return {
    async "files.upload"({ sessionKey, filename, size, mimeType }, { identity }) {
      const { key } = await findSession(house, sessionKey);
      return files.createUpload({
        sessionKey: key,
        filename,
        size,
        ...(mimeType !== undefined && { mimeType }),
        owner: identity,
      });
    },
    async "files.open"({ path, deliveryId }, { identity }) {
      if ((path === undefined) === (deliveryId === undefined)) {
        throw invalid("files.open: name either a path or a deliveryId");
      }
      const opened =
        path !== undefined
          ? await files.openWorkspaceFile(path, identity)
          : deliveryId !== undefined && (await files.openPostedFile(deliveryId, identity));
      if (!opened) throw notFound(path === undefined ? `posted file ${deliveryId}` : `file ${path} in the workspace`);
      return opened;
    },
  };
}
