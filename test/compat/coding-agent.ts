/** The coding-agent package as the compatibility scripts use it: found in a folder that the caller has installed it in. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface SessionManager {
  appendMessage(message: object): string;
  appendModelChange(provider: string, modelId: string): string;
  appendThinkingLevelChange(level: string): string;
  appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  /** Since 0.87. */
  appendContextEdit?(targetId: string, replacement: null | { content: string }): string;
  branch(entryId: string): void;
  branchWithSummary(entryId: string, summary: string): string;
  buildSessionContext(): { messages: Record<string, unknown>[] };
  getEntries(): unknown[];
  getSessionFile(): string | undefined;
}

export interface CodingAgent {
  version: string;
  SessionManager: {
    create(cwd: string, sessionDir: string): SessionManager;
    open(path: string): SessionManager;
  };
}

const scopes = ["@earendil-works", "@mariozechner"];

/** `dir`: the folder of the package itself, or one that it is installed in. Throws when it is not there or does not load. */
export async function loadCodingAgent(dir: string): Promise<CodingAgent> {
  const places = [resolve(dir), ...scopes.map((scope) => resolve(dir, "node_modules", scope, "pi-coding-agent"))];
  const root = places.find((place) => isCodingAgent(place));
  if (!root)
    throw new Error(
      `No pi-coding-agent in ${dir}. Install it there first: npm install @earendil-works/pi-coding-agent`,
    );
  const { version } = readManifest(root);
  const failures: unknown[] = [];
  // A release whose dependencies cannot be had still has a bundle of its own.
  for (const entry of ["dist/index.js", "dist/bundle/index.js"]) {
    if (!existsSync(join(root, entry))) continue;
    try {
      const loaded: Pick<CodingAgent, "SessionManager"> = await import(pathToFileURL(join(root, entry)).href);
      return { version, SessionManager: loaded.SessionManager };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `pi-coding-agent ${version} in ${root} does not load`);
}

function isCodingAgent(root: string): boolean {
  return existsSync(join(root, "package.json")) && readManifest(root).name.endsWith("/pi-coding-agent");
}

function readManifest(root: string): { name: string; version: string } {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { name: String(name), version: String(version) };
}
