/**
 * Makes a call that is sent twice count once: while it runs, whoever sends it again waits for the same end; for a while
 * after it, they are given the same result. What failed may be tried again.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import { GatewayFault } from "../protocol/index.ts";

interface KeyedCall {
  /** Keys are each client's own choice: those of another mean nothing. */
  caller: string;
  method: string;
  key: string;
  params: unknown;
}

export interface OnceOnly {
  run(call: KeyedCall, work: () => Promise<unknown>): Promise<unknown>;
}

interface Kept {
  fingerprint: string;
  result: Promise<unknown>;
  /** Undefined while it runs. */
  doneAt: number | undefined;
  bytes: number;
}

const keepMs = 10 * 60_000;
const mostKept = 1000;
const mostBytes = 16 * 1024 * 1024;

export function createOnceOnly({ clock }: { clock: Clock }): OnceOnly {
  /** In the order in which they ended; those that run stand wherever they began. */
  const calls = new Map<string, Kept>();
  let bytes = 0;

  const drop = (id: string, kept: Kept) => {
    bytes -= kept.bytes;
    calls.delete(id);
  };
  const shorten = () => {
    let size = calls.size;
    for (const [id, kept] of calls) {
      if (kept.doneAt === undefined) continue;
      const isOld = clock.monotonic() - kept.doneAt > keepMs;
      if (!isOld && size <= mostKept && bytes <= mostBytes) return;
      drop(id, kept);
      size--;
    }
  };
  const keep = (id: string, kept: Kept, result: unknown) => {
    kept.doneAt = clock.monotonic();
    kept.bytes = (JSON.stringify(result) ?? "").length;
    bytes += kept.bytes;
    // Moved to the end.
    calls.delete(id);
    calls.set(id, kept);
    shorten();
  };

  return {
    run({ caller, method, key, params }, work) {
      shorten();
      const id = JSON.stringify([caller, method, key]);
      const fingerprint = createHash("sha256").update(toCanonical(params)).digest("base64");
      const known = calls.get(id);
      if (known) {
        if (known.fingerprint !== fingerprint) return Promise.reject(otherParams(method));
        return known.result.then(toRepeat);
      }
      const kept: Kept = { fingerprint, result: work(), doneAt: undefined, bytes: 0 };
      calls.set(id, kept);
      kept.result.then(
        (result) => keep(id, kept, result),
        () => calls.delete(id),
      );
      return kept.result;
    },
  };
}

/** The same text for the same value, in whatever order its keys came. */
function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Results that tell whether they are news. */
const toRepeat = (result: unknown): unknown =>
  typeof result === "object" && result !== null && "isRepeat" in result ? { ...result, isRepeat: true } : result;

const otherParams = (method: string) =>
  new GatewayFault({
    code: "INVALID_REQUEST",
    message: `${method}: this idempotency key was used for other parameters; choose a new one`,
  });
