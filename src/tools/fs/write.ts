/** `write`: a whole file, new or replaced. */
import { Type } from "typebox";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { ensureWellFormed } from "./ensure-well-formed.ts";

const parameters = Type.Object(
  { path: Type.String({ minLength: 1 }), content: Type.String() },
  { additionalProperties: false },
);

interface WriteDetails {
  path: string;
  bytes: number;
  created: boolean;
}

export function createWriteTool(operations: Operations): Tool<typeof parameters, WriteDetails> {
  return {
    name: "write",
    label: "Write",
    description: "Write a whole file: made with its folders, or replaced.",
    parameters,
    effect: "write",
    describe: ({ path }) => `write ${path}`,
    locks: async ({ path }) => [await operations.resolve(path)],
    async execute(_id, { path, content }) {
      ensureWellFormed(content);
      const created = (await operations.stat(path)) === undefined;
      await operations.writeFile(path, content);
      const bytes = Buffer.byteLength(content);
      const text = `${created ? "Created" : "Replaced"} ${path} (${formatBytes(bytes)}).`;
      return buildTextResult(text, { path, bytes, created });
    },
  };
}
