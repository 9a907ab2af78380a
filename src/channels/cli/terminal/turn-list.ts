/** The turns that the screen knows of: running ones, and a few ended ones whose replies may still be on their way. */
import type { TurnId } from "../../../contracts/ids.ts";
import type { TurnDisplay } from "./turn-display.ts";

export interface TurnList {
  get(id: TurnId): TurnDisplay | undefined;
  /** The turn's display, made when it is new. */
  open(id: TurnId): TurnDisplay;
  all(): TurnDisplay[];
  /** Oldest first. */
  running(): TurnDisplay[];
}

const maxTurns = 16;

export function createTurnList(createDisplay: () => TurnDisplay): TurnList {
  const displays = new Map<TurnId, TurnDisplay>();
  const forgetOldest = () => {
    for (const [id, display] of displays) {
      if (displays.size <= maxTurns) return;
      if (!display.isRunning) displays.delete(id);
    }
  };
  return {
    get: (id) => displays.get(id),
    open(id) {
      const known = displays.get(id);
      if (known) return known;
      const display = createDisplay();
      displays.set(id, display);
      forgetOldest();
      return display;
    },
    all: () => [...displays.values()],
    running: () => [...displays.values()].filter((display) => display.isRunning),
  };
}
