/** `attach`: posts a file of the workspace to the chat that the turn belongs to. */
import { basename } from "node:path";
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import { deliveryIdOf } from "../../base/ids.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { Tool, ToolScope } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { buildTextResult } from "../kit/text-result.ts";

const maxFileBytes = 50 * 1024 * 1024;

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    caption: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
);

interface AttachDetails {
  path: string;
  bytes: number;
}

export interface AttachOptions {
  outbox: Pick<Outbox, "post">;
  scope: Pick<ToolScope, "turnId" | "channel" | "sender"> & { session: Pick<SessionEntry, "type"> };
}

export function createAttachTool(
  operations: Operations,
  { outbox, scope }: AttachOptions,
): Tool<typeof parameters, AttachDetails> {
  return {
    name: "attach",
    label: "Attach",
    description: "Send a file to the current chat.",
    parameters,
    effect: "external",
    describe: ({ path }) => `attach ${path}`,
    recipients: () => listRecipients(scope),
    async execute(toolCallId, { path, caption }) {
      const { real, size } = await findFile(operations, path);
      const filename = basename(real);
      await outbox.post([
        {
          // The same call, run again after a crash, is the same post.
          id: deliveryIdOf(`${scope.turnId}.${toolCallId}`, 0),
          channel: scope.channel,
          turnId: scope.turnId,
          body: { type: "file", path: real, filename, ...(caption === undefined ? {} : { caption }) },
        },
      ]);
      return buildTextResult(`${filename} (${formatBytes(size)}) is on its way to the chat.`, { path, bytes: size });
    },
  };
}

/** The chat, and in a direct one also the person, whom an order may name instead. */
function listRecipients({ channel, session, sender }: AttachOptions["scope"]): string[] {
  const isDirect = session.type === "main" || session.type === "dm";
  const ids = [channel.channelId, ...(isDirect ? [sender.id] : [])];
  return ids.flatMap((id) => [id, `${channel.adapter}:${id}`]);
}

async function findFile(operations: Operations, path: string): Promise<{ real: string; size: number }> {
  const real = await operations.resolve(path);
  const found = await operations.stat(real);
  if (found?.type !== "file") {
    throw new ToolError("FILE_NOT_FOUND", `"${path}" ${found === undefined ? "does not exist" : "is not a file"}`, {
      hint: "Look for it with ls or find.",
    });
  }
  if (found.size > maxFileBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" has ${formatBytes(found.size)}; files up to ${formatBytes(maxFileBytes)} can be sent`,
      { hint: "Compress or split it." },
    );
  }
  return { real, size: found.size };
}
