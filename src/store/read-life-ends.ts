/** What a list of lives shows of one file, from a little of its start and its end, however long it is. */
import type { FileHandle } from "node:fs/promises";
import type { SessionId } from "../contracts/ids.ts";
import type { SessionLife } from "../contracts/store.ts";
import { openToRead } from "./open-regular.ts";
import { isObject, parseHeader } from "./transcript-lines.ts";

const endBytes = 64 * 1024;
const openingLength = 120;

export interface LifeEnds {
  sessionKey: string | undefined;
  /** `isNameSure`: a later name cannot stand in the part that was not read. */
  life: SessionLife & { isNameSure: boolean };
}

/** Undefined for what is no transcript of the present format. */
export async function readLifeEnds(root: string, path: string): Promise<LifeEnds | undefined> {
  const file = await openToRead(root, path);
  if (!file) return undefined;
  try {
    const { size, mtimeMs } = await file.stat();
    const start = toValues(await readAt(file, 0, Math.min(size, endBytes)));
    const header = parseHeader(start[0]);
    if (header?.line["version"] !== 3) return undefined;
    const end = size > endBytes ? toValues(await readAt(file, size - endBytes, endBytes)) : start;
    const startedAt = toTime(header.line["timestamp"]) ?? mtimeMs;
    const lastAt = end.map((value) => toTime(value["timestamp"])).findLast((time) => time !== undefined);
    const opening = start.map(toSpoken).find((text) => text !== undefined);
    const lastName = findName(end);
    const name = lastName ?? findName(start);
    return {
      sessionKey: header.sessionKey,
      life: {
        sessionId: header.id as SessionId,
        isPresent: false,
        startedAt,
        updatedAt: Math.max(startedAt, lastAt ?? mtimeMs),
        bytes: size,
        isNameSure: lastName !== undefined || size <= endBytes,
        ...(name && { name }),
        ...(opening !== undefined && { opening }),
      },
    };
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.toString("utf8", 0, bytesRead);
}

/** The lines that are whole; the first and the last may be cut off. */
function toValues(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function toTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Empty when the name was taken away again. */
function findName(values: readonly Record<string, unknown>[]): string | undefined {
  const name = values.findLast(({ type }) => type === "session_info")?.["name"];
  return typeof name === "string" ? name.trim() : undefined;
}

function toSpoken({ type, message }: Record<string, unknown>): string | undefined {
  if (type !== "message" || !isObject(message) || message["role"] !== "user") return undefined;
  const parts: unknown[] = Array.isArray(message["content"]) ? message["content"] : [{ text: message["content"] }];
  const texts = parts.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []));
  const line = texts.join(" ").trim().replace(/\s+/g, " ");
  if (line === "") return undefined;
  return line.length > openingLength ? `${line.slice(0, openingLength - 1).toWellFormed()}…` : line;
}
