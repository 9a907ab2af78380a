/** Earlier input, and where one is in it. Pure; the chat loads and saves the entries. */
export interface History {
  /** Oldest first. */
  entries: readonly string[];
  /** The entry that is shown; `entries.length` while something new is being written. */
  at: number;
  /** What was being written before going back. */
  draft: string;
}

const maxEntries = 500;
/** Longer input is a pasted document, not something to come back to. UTF-16 units. */
const maxEntryLength = 10_000;

export function createHistory(entries: readonly string[]): History {
  const kept = entries.slice(-maxEntries);
  return { entries: kept, at: kept.length, draft: "" };
}

export function rememberEntry(history: History, text: string): History {
  if (text.length > maxEntryLength || history.entries.at(-1) === text) return createHistory(history.entries);
  return createHistory([...history.entries, text]);
}

/** Undefined at the oldest. `current` is kept as the draft when leaving it. */
export function olderEntry(history: History, current: string): { history: History; text: string } | undefined {
  const text = history.entries[history.at - 1];
  if (text === undefined) return undefined;
  const draft = history.at === history.entries.length ? current : history.draft;
  return { history: { ...history, at: history.at - 1, draft }, text };
}

/** The draft after the newest; undefined when already there. */
export function newerEntry(history: History): { history: History; text: string } | undefined {
  if (history.at >= history.entries.length) return undefined;
  const at = history.at + 1;
  return { history: { ...history, at }, text: history.entries[at] ?? history.draft };
}
