/**
 * Events in order and each once. Ids are `<life of the server>-<number>`; a client sees only some of the numbers, so a missing
 * one says nothing. What can be lost is lost between two connections: there the server is asked for what came after the
 * last id, and until it has answered everything is held and sorted, because new events and missed ones come mixed.
 */
import type { EventFrame } from "../protocol/index.ts";

export interface EventOrder {
  /** Id of the newest event that was told or need not be. Undefined before the first connection. */
  readonly lastId: string | undefined;
  /** From now on hold what comes. `newestId`: of the server, used where nothing was seen yet. Gives the id to ask after. */
  hold(newestId: string): string;
  /** The server has sent all that was missed. */
  release(newestId: string): void;
  take(frame: EventFrame): void;
}

/** They stand outside the sequence and carry the id of the event before them. */
const unnumbered: readonly string[] = ["node.invoke", "log"];
/** More than the server keeps; beyond it holding is given up. */
const mostHeld = 10_000;

export function createEventOrder(deliver: (frame: EventFrame) => void): EventOrder {
  let lastId: string | undefined;
  let held: EventFrame[] | undefined;
  const pass = (frame: EventFrame) => {
    if (lastId !== undefined && lifeOf(frame.id) === lifeOf(lastId)) {
      const ahead = numberOf(frame.id) - numberOf(lastId);
      if (ahead < 0 || (ahead === 0 && !unnumbered.includes(frame.event))) return;
    }
    lastId = frame.id;
    deliver(frame);
  };
  const letGo = () => {
    const frames = held ?? [];
    held = undefined;
    // A sort keeps the order of equals: what carries a borrowed number stays behind its lender.
    for (const frame of frames.sort((a, b) => numberOf(a.id) - numberOf(b.id))) pass(frame);
  };
  return {
    get lastId() {
      return lastId;
    },
    hold: (newestId) => {
      held = [];
      lastId ??= newestId;
      return lastId;
    },
    release: (newestId) => {
      letGo();
      if (lastId === undefined || lifeOf(newestId) !== lifeOf(lastId) || numberOf(newestId) > numberOf(lastId))
        lastId = newestId;
    },
    take: (frame) => {
      if (!held) return pass(frame);
      held.push(frame);
      if (held.length >= mostHeld) letGo();
    },
  };
}

const lifeOf = (id: string) => id.slice(0, id.lastIndexOf("-"));
function numberOf(id: string): number {
  const number = Number(id.slice(id.lastIndexOf("-") + 1));
  return Number.isFinite(number) ? number : 0;
}
