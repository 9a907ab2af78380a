/**
 * What the lines of a transcript are: a header, then entries that name their parent. Of what other programs, people or tools
 * have written there no more is taken for granted than what chaining needs; whoever reads an entry's content looks at it first.
 */
import type { TranscriptEntry } from "../contracts/transcript.ts";
import type { JsonlFiles } from "./jsonl-files.ts";

export interface FoundHeader {
  id: string;
  /** Absent in files that another program has begun. */
  sessionKey: string | undefined;
  /** The line as it stands there. */
  line: Record<string, unknown>;
}

/** The first line of a file; whatever it is, it stands for a life, if only for one without a name. */
export async function readHeader(files: JsonlFiles, path: string): Promise<FoundHeader | undefined> {
  for await (const value of files.forwards(path)) {
    return parseHeader(value) ?? { id: "unknown", sessionKey: undefined, line: {} };
  }
  return undefined;
}

export function parseHeader(value: unknown): FoundHeader | undefined {
  if (!isObject(value) || value["type"] !== "session") return undefined;
  const { id, sessionKey } = value;
  if (typeof id !== "string" || id === "") return undefined;
  return { id, sessionKey: typeof sessionKey === "string" ? sessionKey : undefined, line: value };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

export function isEntry(value: unknown): value is TranscriptEntry {
  if (!isObject(value) || value["type"] === "session") return false;
  const { id, parentId } = value;
  return typeof id === "string" && (parentId === null || typeof parentId === "string");
}
