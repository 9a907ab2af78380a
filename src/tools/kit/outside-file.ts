/**
 * Which files are content from outside (spec 5.5): what lies in the folders of chats, for logs, transcripts and attachments there
 * are the words of people. The owner's own chat is the exception, but for files that were sent into it. Asked by tools that read.
 */
import { dirname, resolve, sep } from "node:path";
import type { Operations } from "../../contracts/sandbox.ts";
import type { ToolScope } from "../../contracts/tool.ts";

/** The chat that a turn runs in. */
export interface OwnChat {
  /** Absolute: `…/channels/<adapter>/<channel>`. */
  folder: string;
  /** Nobody but the owner speaks there. */
  isOwners: boolean;
}

/** `scratchFolder` lies right in the chat's folder. */
export function pickOwnChat(parts: {
  operations: Pick<Operations, "cwd">;
  scratchFolder: string;
  scope: Pick<ToolScope, "session">;
}): OwnChat {
  const folder = dirname(resolve(parts.operations.cwd, parts.scratchFolder));
  return { folder, isOwners: parts.scope.session.type === "main" };
}

const chatFolder = /[\\/]channels[\\/][^\\/]+[\\/][^\\/]+[\\/]/;

/** For one call: is this file, named by its real path, from outside? Without a chat of its own a turn takes all of them so. */
export async function createOutsideCheck(
  operations: Pick<Operations, "resolve">,
  ownChat: OwnChat | undefined,
): Promise<(path: string) => boolean> {
  const own = ownChat && (await findReal(operations, ownChat.folder));
  return (path) => {
    if (own === undefined || !path.startsWith(own.workspace + sep)) return chatFolder.test(path);
    if (!path.startsWith(own.folder + sep)) return chatFolder.test(path.slice(own.workspace.length));
    const [first] = path.slice(own.folder.length + 1).split(sep);
    // The skills of a chat are there to be followed; everything else in a chat with others may be theirs.
    return ownChat?.isOwners ? first === "attachments" : first !== "skills";
  };
}

/** A folder that has become a link to another chat's is not the turn's own any more. */
async function findReal(operations: Pick<Operations, "resolve">, folder: string) {
  const real = await operations.resolve(folder).catch(() => undefined);
  const tail = folder.split(sep).slice(-3).join(sep);
  if (real === undefined || !real.endsWith(sep + tail)) return undefined;
  return { folder: real, workspace: real.slice(0, -tail.length - 1) };
}
