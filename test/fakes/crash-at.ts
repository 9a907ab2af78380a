/** A clock whose process dies at a call: before it, or when it is written and nobody was told. */
import type { DueClock } from "../../src/contracts/schedule.ts";

export interface DueCrash {
  call: keyof DueClock;
  when: "before" | "after";
}

/** From the crash on nothing is read or written any more. */
export function crashAt(due: DueClock, { call, when }: DueCrash): DueClock {
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Error("The process is dead");
  };
  return new Proxy(due, {
    get(target, name: keyof DueClock) {
      const work = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (isDead || (name === call && when === "before")) die();
        const result = await work(...args);
        if (name === call) die();
        return result;
      };
    },
  });
}
