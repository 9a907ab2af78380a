/** Dark, light, or as the system has it. Kept in this browser; theme.ts at the root sets it before the first paint. */
import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const storageKey = "mom.theme";

function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export const theme = signal<Theme>(readTheme());

export function setTheme(next: Theme): void {
  theme.value = next;
  const root = document.documentElement;
  if (next === "auto") delete root.dataset["theme"];
  else root.dataset["theme"] = next;
  localStorage.setItem(storageKey, next);
}

const order: readonly Theme[] = ["auto", "light", "dark"];
export function nextTheme(): void {
  setTheme(order[(order.indexOf(theme.peek()) + 1) % order.length] ?? "auto");
}
