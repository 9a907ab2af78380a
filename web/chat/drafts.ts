/** What was typed and not sent, by session; kept in this browser. */
const storageKey = "mom.drafts";
const mostDrafts = 30;
const longestDraft = 20_000;

export function loadDraft(sessionKey: string): string {
  return readAll().find(([key]) => key === sessionKey)?.[1] ?? "";
}

export function saveDraft(sessionKey: string, text: string): void {
  const others = readAll().filter(([key]) => key !== sessionKey);
  const all = text.trim() === "" ? others : [...others, [sessionKey, text.slice(0, longestDraft)]];
  try {
    localStorage.setItem(storageKey, JSON.stringify(all.slice(-mostDrafts)));
  } catch {
    // A full or closed storage: the draft lives as long as the page.
  }
}

function readAll(): [string, string][] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    const isDraft = (each: unknown): each is [string, string] =>
      Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "string";
    return Array.isArray(all) ? all.filter(isDraft) : [];
  } catch {
    return [];
  }
}
