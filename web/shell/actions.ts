/** Things that can be done from the command palette. Pages add their own while they are shown. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { IconName } from "../ui/index.ts";

export interface Action {
  id: string;
  title: string;
  icon: IconName;
  run(): void;
}

const added = signal<ReadonlyMap<string, Action>>(new Map());

export const listActions = (): Action[] => [...added.value.values()];

/** For a page: its actions are offered while it is shown. `actions` may be made anew with each rendering. */
export function useActions(actions: readonly Action[]): void {
  const names = actions.map(({ id, title }) => `${id} ${title}`).join("\n");
  // The names say whether they are others.
  useEffect(() => {
    added.value = new Map([...added.peek(), ...actions.map((action) => [action.id, action] as const)]);
    return () => {
      const next = new Map(added.peek());
      for (const { id } of actions) next.delete(id);
      added.value = next;
    };
  }, [names]);
}
