/** Waits until a question has its answer: from this process, from another one, or from the clock. */
import { ToolError } from "../../base/errors.ts";
import type { Approval, Approvals } from "../../contracts/approval.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ApprovalId } from "../../contracts/ids.ts";

export interface AnswerWait {
  /** Resolves with the question in its final state; rejects with the signal's reason. */
  wait(id: ApprovalId, signal: AbortSignal): Promise<Approval>;
  /** Something may have changed: of one question, or of any. */
  ring(id?: ApprovalId): void;
}

/** Changes are announced; this is for the announcement that got lost. */
const pollMs = 5000;

export function createAnswerWait({
  approvals,
  clock,
}: {
  approvals: Pick<Approvals, "get">;
  clock: Clock;
}): AnswerWait {
  const bells = new Map<ApprovalId, Set<() => void>>();
  /** Rings once, for whoever listens from now on. */
  const listen = (id: ApprovalId) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ring = () => resolve();
    const ringers = bells.get(id) ?? new Set();
    bells.set(id, ringers.add(ring));
    const stop = () => {
      ringers.delete(ring);
      if (ringers.size === 0 && bells.get(id) === ringers) bells.delete(id);
    };
    return { promise, ring, stop };
  };
  const look = async (id: ApprovalId, signal: AbortSignal): Promise<Approval | undefined> => {
    // Before the look, so that no answer falls in between.
    const bell = listen(id);
    signal.addEventListener("abort", bell.ring, { once: true });
    let cancel = () => {};
    try {
      signal.throwIfAborted();
      const approval = await approvals.get(id);
      if (!approval) throw buildGone(id);
      if (approval.state !== "pending") return approval;
      cancel = clock.after(Math.min(pollMs, Math.max(1, approval.expiresAt - clock.now())), bell.ring);
      await bell.promise;
      return undefined;
    } finally {
      cancel();
      bell.stop();
      signal.removeEventListener("abort", bell.ring);
    }
  };
  return {
    async wait(id, signal) {
      for (;;) {
        const approval = await look(id, signal);
        if (approval) return approval;
      }
    },
    ring(id) {
      const rung = id === undefined ? [...bells.values()] : [bells.get(id) ?? []];
      for (const ringers of rung) for (const ring of [...ringers]) ring();
    },
  };
}

const buildGone = (id: ApprovalId) =>
  new ToolError("APPROVAL_GONE", `The question ${id} is not in the store any more, so nobody can answer it`, {
    hint: "Ask again with a new call.",
  });
