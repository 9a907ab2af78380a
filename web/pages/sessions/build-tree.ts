/**
 * A transcript's entries, each naming its parent, as a screen shows them: one trunk (the present path) with the branches
 * that were left hanging from the entry they left it at.
 */
import type { TreeEntry } from "../../../src/gateway/protocol/index.ts";

export interface TreeNode {
  entry: TreeEntry;
  /** On the way from the present end to the root: what the model is sent is made of these. */
  isPresent: boolean;
  /** Ways that went on from here and were left, oldest first. */
  branches: TreeChain[];
}

/** Entries one after the other. */
export interface TreeChain {
  nodes: TreeNode[];
  /** Entries in it, those of its own branches too. */
  size: number;
}

export interface Tree {
  trunk: TreeChain;
  /** Other beginnings, where the transcript has several or its start is cut off. */
  others: TreeChain[];
}

export function buildTree(entries: readonly TreeEntry[], leaf: string | null): Tree {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const children = new Map<string | undefined, TreeEntry[]>();
  for (const entry of byId.values()) {
    const parent = entry.parentId !== null && byId.has(entry.parentId) ? entry.parentId : undefined;
    children.set(parent, [...(children.get(parent) ?? []), entry]);
  }
  const present = findPath(byId, leaf);
  const roots = children.get(undefined) ?? [];
  const first = pickTrunk(roots, present);
  return {
    trunk: first ? buildChain(first, children, present) : { nodes: [], size: 0 },
    others: roots.filter((root) => root !== first).map((root) => buildChain(root, children, present)),
  };
}

function findPath(byId: ReadonlyMap<string, TreeEntry>, leaf: string | null): ReadonlySet<string> {
  const path = new Set<string>();
  let at = leaf === null ? undefined : byId.get(leaf);
  while (at && !path.has(at.id)) {
    path.add(at.id);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return path;
}

/** The way that is gone now; where none of them is, the newest. */
const pickTrunk = (ways: readonly TreeEntry[], present: ReadonlySet<string>): TreeEntry | undefined =>
  ways.find(({ id }) => present.has(id)) ?? ways.at(-1);

function buildChain(
  first: TreeEntry,
  children: ReadonlyMap<string | undefined, readonly TreeEntry[]>,
  present: ReadonlySet<string>,
): TreeChain {
  const nodes: TreeNode[] = [];
  let size = 0;
  // A loop and not a recursion: a conversation may have thousands of entries. Only branches of branches recurse.
  for (let entry: TreeEntry | undefined = first; entry; ) {
    const ways: readonly TreeEntry[] = children.get(entry.id) ?? [];
    const next = pickTrunk(ways, present);
    const branches = ways.filter((way) => way !== next).map((way) => buildChain(way, children, present));
    nodes.push({ entry, isPresent: present.has(entry.id), branches });
    size += 1 + branches.reduce((sum, branch) => sum + branch.size, 0);
    entry = next;
  }
  return { nodes, size };
}

export type EntryKind = "user" | "assistant" | "tool" | "summary" | "note" | "record";

/** `record`: bookkeeping that neither people nor the model read. */
export function kindOf({ type, role }: Pick<TreeEntry, "type" | "role">): EntryKind {
  if (type === "compaction" || type === "branch_summary") return "summary";
  if (type === "custom_message") return "note";
  if (type !== "message") return "record";
  if (role === "user") return "user";
  return role === "assistant" ? "assistant" : "tool";
}

const words: Record<string, string> = {
  compaction: "Summed up",
  branch_summary: "Summary of a branch",
  custom_message: "Note to the model",
  model_change: "Model changed",
  thinking_level_change: "Thinking changed",
  context_edit: "Taken out of the context",
  session_info: "Renamed",
  label: "Label",
  custom: "Record",
};

export function nameKind(entry: Pick<TreeEntry, "type" | "role">): string {
  if (entry.type !== "message") return words[entry.type] ?? entry.type;
  const kind = kindOf(entry);
  return kind === "user" ? "Said to mom" : kind === "assistant" ? "Mom" : "Tool result";
}

/** The chain without bookkeeping; an entry that has branches stays, because they hang from it. */
export function withoutRecords(chain: TreeChain): TreeChain {
  const nodes = chain.nodes
    .filter(({ entry, branches }) => branches.length > 0 || kindOf(entry) !== "record")
    .map((node) => ({ ...node, branches: node.branches.map(withoutRecords).filter(({ size }) => size > 0) }));
  return { nodes, size: nodes.reduce((sum, { branches }) => sum + 1 + sumSizes(branches), 0) };
}

const sumSizes = (chains: readonly TreeChain[]): number => chains.reduce((sum, { size }) => sum + size, 0);
