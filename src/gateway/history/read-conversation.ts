/**
 * The end of a session's conversation, read from its transcript and its commands, and cut to what fits in one answer. Files that came along
 * are named as `files.open` takes them.
 */
import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { EntryId } from "../../contracts/ids.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import type { ChatItem } from "../protocol/index.ts";
import { buildItems, type ItemFacts } from "./build-items.ts";
import { mergeByTime, readCommands } from "./read-commands.ts";

interface Conversation {
  items: ChatItem[];
  isCut: boolean;
}

type Deps = Pick<GatewayHouse, "store" | "workspaceDir" | "chatOf">;

/** As many as the store keeps at hand. */
const mostEntries = 2000;
/** Beyond it, what lies before a summary is not looked up. */
const mostWholeBytes = 4 * 1024 * 1024;
/** Half of what may wait unsent for a client. */
const mostBytes = 2 * 1024 * 1024;

export async function readConversation(
  deps: Deps,
  session: SessionEntry,
  limit: number,
  facts: ItemFacts,
): Promise<Conversation> {
  const { entries, isCut } = await readEntries(deps.store.transcripts, session, limit);
  const built = buildItems(entries, facts);
  const all = mergeByTime(built, await readCommands(deps.store, session, built[0]?.at));
  const kept = keepNewest(all, limit);
  await locateFiles(deps, session, kept);
  return { items: kept, isCut: isCut || kept.length < all.length };
}

async function readEntries(
  transcripts: Deps["store"]["transcripts"],
  { sessionKey }: SessionEntry,
  limit: number,
): Promise<{ entries: readonly TranscriptEntry[]; isCut: boolean }> {
  const { entries, cut } = await transcripts.context(sessionKey, Math.min(mostEntries, 4 * limit));
  const hasSummary = entries.some(({ type }) => type === "compaction");
  if (cut || !hasSummary) return { entries, isCut: cut };
  // The context begins where the last summary begins to keep; people want to read on beyond it.
  const lives = await transcripts.lives(sessionKey);
  const isSmall = lives.some(({ isPresent, bytes }) => isPresent && bytes <= mostWholeBytes);
  const whole = isSmall && entries.length < 2 * limit ? await transcripts.whole(sessionKey) : undefined;
  if (!whole) return { entries, isCut: true };
  return { entries: walkPath(whole.entries, whole.leaf), isCut: false };
}

/** From the root to the leaf. A parent that is missing, or a ring of parents, ends the path there. */
function walkPath(entries: readonly TranscriptEntry[], leaf: EntryId | null): TranscriptEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path = new Set<TranscriptEntry>();
  let at = leaf === null ? undefined : byId.get(leaf);
  while (at && !path.has(at)) {
    path.add(at);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return [...path].reverse();
}

/** Pictures go first where it is too much, then what is oldest. */
function keepNewest(items: readonly ChatItem[], limit: number): ChatItem[] {
  const kept: ChatItem[] = [];
  let bytes = 0;
  for (const item of items.slice(-limit).reverse()) {
    const fitting = [item, withoutImages(item)].find((each) => bytes + JSON.stringify(each).length <= mostBytes);
    if (!fitting) break;
    bytes += JSON.stringify(fitting).length;
    kept.push(fitting);
  }
  return kept.reverse();
}

function withoutImages(item: ChatItem): ChatItem {
  if (!item.tool?.images) return item;
  const { images: _, ...tool } = item.tool;
  return { ...item, tool };
}

/** The transcript names files as the session's tools find them: from the workspace, or from the chat's own folder. */
async function locateFiles(deps: Deps, session: SessionEntry, items: readonly ChatItem[]): Promise<void> {
  const { workspaceDir, store, chatOf } = deps;
  const chats = [session.channel, session.lastChannel, chatOf(session.sessionKey)];
  const bases = ["", ...new Set(chats.map((chat) => store.channels.folder(chat)))];
  for (const file of items.flatMap(({ attachments = [] }) => attachments)) {
    const inside = isAbsolute(file.path) ? relative(workspaceDir, file.path) : file.path;
    const paths = isAbsolute(file.path) ? [inside] : bases.map((base) => join(base, inside));
    const found = await Promise.all(paths.map((path) => isThere(join(workspaceDir, path))));
    file.path = paths[found.indexOf(true)] ?? inside;
  }
}

/** Only to choose a name: whether it may be opened is looked at when somebody asks for it. */
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
