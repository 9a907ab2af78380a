/** What mom takes words for, asked for a moment after the last key. It is known which words an answer belongs to. */
import { useEffect, useState } from "preact/hooks";
import { GatewayFault, type Params, type Result } from "../../../src/gateway/protocol/index.ts";
import { call, describeError, state } from "../../connection.ts";

export type Preview =
  | { type: "none" }
  | { type: "asking" }
  | { type: "understood"; schedule: Result<"cron.preview">["schedule"]; text: string; next: number[] }
  | { type: "refused"; problem: string; hint?: string };

const restMs = 350;

export function usePreview(when: Params<"cron.preview">["when"], tz: string): Preview {
  const isNothing = typeof when === "string" && when.trim() === "";
  const asked = JSON.stringify([when, tz]);
  const [shown, setShown] = useState<{ asked: string; preview: Preview }>({ asked: "", preview: { type: "none" } });
  const isReady = state.value.type === "ready";
  useEffect(() => {
    if (isNothing || !isReady) return;
    let isOld = false;
    const show = (preview: Preview) => {
      if (!isOld) setShown({ asked, preview });
    };
    const ask = async () => {
      try {
        const result = await call("cron.preview", { when, times: 5, ...(tz.trim() !== "" && { tz: tz.trim() }) });
        show({ type: "understood", ...result });
      } catch (error) {
        show({ type: "refused", problem: describeError(error), ...hintOf(error) });
      }
    };
    const timer = setTimeout(ask, restMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [asked, isNothing, isReady]);
  if (isNothing) return { type: "none" };
  return shown.asked === asked ? shown.preview : { type: "asking" };
}

function hintOf(error: unknown): { hint?: string } {
  const details: unknown = error instanceof GatewayFault ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("hint" in details)) return {};
  return typeof details.hint === "string" ? { hint: details.hint } : {};
}
