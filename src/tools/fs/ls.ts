/** `ls`: what is in a folder. */
import { Type } from "typebox";
import type { FolderItem, Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { truncateHead } from "../kit/truncate.ts";

const maxEntries = 500;
const parameters = Type.Object(
  {
    path: Type.Optional(Type.String({ minLength: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxEntries })),
  },
  { additionalProperties: false },
);

interface LsDetails {
  path: string;
  entries: number;
  total: number;
}

export function createLsTool(operations: Operations): Tool<typeof parameters, LsDetails> {
  return {
    name: "ls",
    label: "List",
    description: `List a folder, sorted; folders end in /, links in @. At most ${maxEntries} entries.`,
    parameters,
    effect: "read",
    describe: ({ path = "." }) => `ls ${path}`,
    async execute(_id, { path = ".", limit = maxEntries }) {
      const names = (await operations.readdir(path)).map(toName).sort();
      const { text, keptLines: entries } = truncateHead(names.slice(0, limit).map(onOneLine).join("\n"));
      const total = names.length;
      const details = { path, entries, total };
      if (total === 0) return buildTextResult("(the folder is empty)", details);
      const notice = `${entries} of ${total} entries; use find with a pattern for the rest`;
      return buildTextResult(text, details, entries < total ? notice : undefined);
    },
  };
}

const suffixes: Record<FolderItem["type"], string> = { folder: "/", link: "@", file: "", other: "" };
const toName = (item: FolderItem) => item.name + suffixes[item.type];
/** A name may hold a line break; a list of names must not be forged with one. */
const onOneLine = (name: string) => name.replaceAll("\n", "\\n");
