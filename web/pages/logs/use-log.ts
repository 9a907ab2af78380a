/** The log as it grows: the end of it when the page opens, then every new line. Paused, new lines wait. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLineSummary } from "../../../src/gateway/protocol/index.ts";
import { call, followLogs, generation, onEvent, state } from "../../connection.ts";
import { addLines, joinLines, type Level, type Line, mostLines } from "./log-lines.ts";

export interface Log {
  lines: readonly Line[];
  error: unknown;
  isLoading: boolean;
  /** Arrived since the pause. */
  waiting: number;
  reload(): void;
}

/** Lines come in bursts; the screen changes this often at most. */
const showEveryMs = 200;

export function useLog({ level, isPaused }: { level: Level; isPaused: boolean }): Log {
  const [shown, setShown] = useState<{ lines: readonly Line[]; error?: unknown; isLoading: boolean }>({
    lines: [],
    isLoading: true,
  });
  const [waiting, setWaiting] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const arrived = useRef<LogLineSummary[]>([]);
  const isHeld = useRef(false);
  isHeld.current = isPaused || shown.isLoading;

  useEffect(() => {
    const unfollow = followLogs();
    let timer: number | undefined;
    const show = () => {
      timer = undefined;
      if (isHeld.current) return setWaiting(arrived.current.length);
      const added = arrived.current.splice(0);
      setShown((before) => ({ ...before, lines: addLines(before.lines, added) }));
    };
    const unlisten = onEvent("log", ({ line }) => {
      arrived.current = [...arrived.current, line].slice(-mostLines);
      timer ??= setTimeout(show, showEveryMs);
    });
    return () => {
      unfollow();
      unlisten();
      clearTimeout(timer);
    };
  }, []);

  useEffect(() => {
    if (isPaused) return;
    const added = arrived.current.splice(0);
    setWaiting(0);
    if (added.length > 0) setShown((before) => ({ ...before, lines: addLines(before.lines, added) }));
  }, [isPaused]);

  const isReady = state.value.type === "ready";
  const life = generation.value;
  // A new connection may have missed lines: the end of the log is loaded again then.
  useEffect(() => {
    if (!isReady) return;
    let isWanted = true;
    setShown((before) => ({ ...before, isLoading: true }));
    call("logs.tail", { limit: mostLines, level }).then(
      ({ lines }) => {
        if (!isWanted) return;
        setWaiting(0);
        setShown({ lines: joinLines(lines, arrived.current.splice(0)), isLoading: false });
      },
      (error: unknown) => isWanted && setShown((before) => ({ ...before, error, isLoading: false })),
    );
    return () => {
      isWanted = false;
    };
  }, [level, isReady, life, attempt]);

  return { ...shown, error: shown.error, waiting, reload: () => setAttempt((before) => before + 1) };
}
