/** `memory_search`: finds what was remembered, by words and by meaning. Only what the asker may read is searched. */
import { Type } from "typebox";
import type { Memory, MemoryAnswer, MemoryHit, MemoryReader } from "../../contracts/memory.ts";
import type { Tool } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import type { OwnChat } from "../kit/outside-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import { isFromOthers } from "./from-others.ts";

const parameters = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 2000 }),
    maxResults: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    minScore: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: false },
);

interface MemorySearchDetails {
  mode: MemoryAnswer["mode"];
  hits: Pick<MemoryHit, "citation" | "score">[];
}

export interface MemoryToolOptions {
  memory: Pick<Memory, "search" | "get">;
  reader: MemoryReader;
  /** Absent: every chat counts as another one. */
  ownChat?: OwnChat;
}

export function createMemorySearchTool(options: MemoryToolOptions): Tool<typeof parameters, MemorySearchDetails> {
  const { memory, reader, ownChat } = options;
  return {
    name: "memory_search",
    label: "Memory search",
    description: "Search notes and memory files. Gives path#lines, score 0-1 and the lines found; cite them so.",
    parameters,
    effect: "read",
    describe: ({ query }) => `memory_search ${shortenLine(query.replace(/\s+/g, " "), 80)}`,
    async execute(_id, { query, ...limits }, signal) {
      const { hits, mode, note } = await memory.search({ text: query, ...limits }, reader, signal);
      const foreign = hits.find(({ path }) => isFromOthers(path, ownChat));
      const text =
        hits.length === 0 ? "Nothing found in memory." : hits.map((hit) => formatHit(hit, ownChat)).join("\n\n");
      const details = { mode, hits: hits.map(({ citation, score }) => ({ citation, score })) };
      return { ...buildTextResult(text, details, note), ...(foreign && { outside: foreign.path }) };
    },
  };
}

function formatHit({ citation, score, snippet, path }: MemoryHit, ownChat: OwnChat | undefined): string {
  const text = isFromOthers(path, ownChat) ? markOutside(snippet, path) : snippet;
  return `${citation} (${score.toFixed(2)})\n${text}`;
}
