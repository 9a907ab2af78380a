/**
 * Which file a path of the memory means. The one place that knows the rules; the walk through the folders and `get` both ask
 * here, so that nothing can be read that would not be indexed.
 */
import type { Source, SourcePlan } from "./source.ts";

const noteEnding = /\.(?:md|markdown)$/i;
const extraEnding = /\.(?:md|markdown|txt)$/i;

/** Undefined: no path of this memory. `path` is foreign text. */
export function findSource(plan: SourcePlan, path: string): Source | undefined {
  if (path.startsWith("sessions/")) return findTranscript(plan, path);
  const parts = path.split("/");
  if (path.length > longestPath || parts.some(isOdd)) return undefined;
  const [first = "", second = "", third = "", fourth] = parts;
  if (path === "MEMORY.md") return note(path, plan.workspaceDir, path, "owner");
  if (first === "memory" && parts.length > 1 && noteEnding.test(path)) {
    return note(path, plan.workspaceDir, path, second === "shared" && parts.length > 2 ? "shared" : "owner");
  }
  if (first === "channels" && fourth === "MEMORY.md" && parts.length === 4) {
    return findChannelNote(plan, path, `channels/${second}/${third}`);
  }
  if (first === "extra" && parts.length > 2 && extraEnding.test(path)) {
    const folder = plan.folders.find(({ name }) => name === second);
    return folder && note(path, folder.path, parts.slice(2).join("/"), folder.scope);
  }
  return undefined;
}

/** Names of conversations are looked up and never taken apart. */
function findTranscript(plan: SourcePlan, path: string): Source | undefined {
  const found = plan.transcripts.find(({ name }) => `sessions/${name}` === path);
  if (!found || plan.channelsRoot === undefined) return undefined;
  return { path, root: plan.channelsRoot, file: found.path, scope: found.scope, type: "transcript" };
}

function findChannelNote(plan: SourcePlan, path: string, folder: string): Source | undefined {
  const isOurs = plan.channelFolders?.includes(folder) ?? true;
  if (plan.channelsRoot === undefined || !isOurs) return undefined;
  return note(path, plan.channelsRoot, path, `chat:${folder}`);
}

const note = (path: string, root: string, file: string, scope: string): Source => ({
  path,
  root,
  file,
  scope,
  type: "note",
});

const longestPath = 1024;

/** Nothing that leads elsewhere, and no file that hides. */
const isOdd = (part: string) => part === "" || part.startsWith(".") || /[\0\\]/.test(part);
