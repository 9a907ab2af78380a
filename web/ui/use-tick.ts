/** Something again and again while the page is looked at, and when it is looked at again: countdowns, figures without events. */
import { useEffect, useRef, useState } from "preact/hooks";
import { state } from "../connection.ts";

function useTick(everyMs: number, tick: () => void): void {
  const newest = useRef(tick);
  newest.current = tick;
  useEffect(() => {
    const ifSeen = () => {
      if (document.visibilityState === "visible") newest.current();
    };
    const timer = setInterval(ifSeen, everyMs);
    document.addEventListener("visibilitychange", ifSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ifSeen);
    };
  }, [everyMs]);
}

/** What the time is. */
export function useTime(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useTick(everyMs, () => setNow(Date.now()));
  return now;
}

/** Loads again what changes without an event. Not while the connection is lost: what is shown stays. */
export function useRefresh(everyMs: number, reload: () => void): void {
  useTick(everyMs, () => {
    if (state.peek().type === "ready") reload();
  });
}
