/** `attach`: posts a file of the workspace to the chat that the turn belongs to. */
import { Type } from "typebox";
import { deliveryIdOf } from "../../base/ids.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { Tool } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { listOwnRecipients, type PostScope, postFile } from "../kit/post-file.ts";
import { buildTextResult } from "../kit/text-result.ts";

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
  scope: PostScope;
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
    recipients: () => listOwnRecipients(scope),
    async execute(toolCallId, { path, caption }) {
      const { turnId, channel } = scope;
      const id = deliveryIdOf(`${turnId}.${toolCallId}`, 0);
      const { filename, bytes } = await postFile(operations, outbox, { id, turnId, channel, path, caption });
      return buildTextResult(`${filename} (${formatBytes(bytes)}) is on its way to the chat.`, { path, bytes });
    },
  };
}
