/** A method's result as a component shows it: loaded when it appears, and again after events, lost events, or on demand. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EventName, MethodName, Params, Result } from "../src/gateway/protocol/index.ts";
import { call, generation, onEvent, state } from "./gateway-link.ts";

export interface Loaded<Data> {
  /** The last good result; stays while it is loaded anew. */
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

/** Many events at once are one reason to load. */
const settleMs = 150;

/** `params` undefined: not yet. */
export function useCall<Name extends MethodName>(
  method: Name,
  params: Params<Name> | undefined,
  options: { refreshOn?: readonly EventName[] } = {},
): Loaded<Result<Name>> {
  const [shown, setShown] = useState<{ data?: Result<Name>; error?: unknown; isLoading: boolean }>({
    isLoading: params !== undefined,
  });
  const newest = useRef(0);
  const asked = params === undefined ? undefined : JSON.stringify(params);
  const load = useCallback(() => {
    if (asked === undefined) return;
    const own = ++newest.current;
    setShown((before) => ({ ...before, isLoading: true }));
    // It was made from such an object just above.
    call(method, JSON.parse(asked) as Params<Name>).then(
      (data) => own === newest.current && setShown({ data, isLoading: false }),
      (error: unknown) => own === newest.current && setShown((before) => ({ ...before, error, isLoading: false })),
    );
  }, [method, asked]);

  const isReady = state.value.type === "ready";
  const life = generation.value;
  // Another `life` says that all must be loaded anew.
  useEffect(() => {
    if (isReady) load();
    return () => {
      newest.current += 1;
    };
  }, [load, isReady, life]);

  const names = (options.refreshOn ?? []).join(" ");
  useEffect(() => {
    let timer: number | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(load, settleMs);
    };
    // They were such names before they were joined.
    const ends = names === "" ? [] : names.split(" ").map((name) => onEvent(name as EventName, soon));
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [load, names]);

  return { data: shown.data, error: shown.error, isLoading: shown.isLoading, reload: load };
}
