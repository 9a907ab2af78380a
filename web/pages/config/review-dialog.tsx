/** What would come of the edits, shown before anything happens: problems, or the diff and a button that applies it. */
import { effect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { GatewayFault, type Result } from "../../../src/gateway/protocol/index.ts";
import { call, newKey, state } from "../../connection.ts";
import { Button, Dialog, ErrorNote, Note, Spinner, toast } from "../../ui/index.ts";
import { type ChangeSet, hasChanges, mostChanges, toPatch } from "./change-set.ts";
import { DiffView } from "./diff-view.tsx";
import { type Problem, withoutPlace } from "./form.ts";

type Review =
  | { type: "checking" }
  /** The file has come to have all of it meanwhile. */
  | { type: "nothing" }
  | { type: "ready" | "applying"; diff: string; warnings: readonly string[] }
  | { type: "invalid"; problems: readonly Problem[] }
  | { type: "rolled-back"; reasons: readonly string[] }
  | { type: "conflict" }
  | { type: "failed"; error: unknown };

interface ReviewProps {
  changes: ChangeSet;
  hash: string;
  onClose(): void;
  /** Closes too, and shows the place. */
  onShow(path: string): void;
  onProblems(problems: readonly Problem[]): void;
  onApplied(): void;
  onReload(): void;
}

export function ReviewDialog(props: ReviewProps) {
  const { onClose } = props;
  const { review, count, check, apply } = useReview(props);
  const isReady = review.type === "ready" || review.type === "applying";
  return (
    <Dialog
      isOpen
      title={count === 1 ? "Review 1 change" : `Review ${count} changes`}
      size="large"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{isReady ? "Not yet" : "Back to the form"}</Button>
          {review.type === "conflict" && (
            <Button variant="primary" onClick={props.onReload}>
              Reload, keep my edits
            </Button>
          )}
          {isReady && (
            <Button variant="primary" isBusy={review.type === "applying"} disabled={review.diff === ""} onClick={apply}>
              Apply
            </Button>
          )}
        </>
      }
    >
      <div class="stack" aria-live="polite">
        <ReviewBody review={review} onRetry={check} onShow={props.onShow} />
      </div>
    </Dialog>
  );
}

function useReview({ changes, hash, onProblems, onApplied, onClose }: ReviewProps) {
  const [review, setReview] = useState<Review>({ type: "checking" });
  /** What is being applied, or was: from then on the form may change without a look at it. */
  const sent = useRef<ChangeSet | undefined>(undefined);
  const newest = useRef(0);
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const ask = (dryRun: boolean) =>
    call("config.patch", { changes: toPatch(changes), hash, dryRun, idempotencyKey: newKey() });
  const fail = (error: unknown) => setReview(isConflict(error) ? { type: "conflict" } : { type: "failed", error });

  const check = useCallback(() => {
    if (sent.current) return;
    const own = ++newest.current;
    if (changes.length === 0) return setReview({ type: "nothing" });
    if (changes.length > mostChanges) {
      const message = `There are ${changes.length} changes; ${mostChanges} can be applied at once. Take some back, apply, and go on.`;
      return setReview({ type: "failed", error: new Error(message) });
    }
    setReview({ type: "checking" });
    const isCurrent = () => own === newest.current && !sent.current;
    ask(true).then(
      ({ outcome, problems, diff, warnings }) => {
        if (!isCurrent()) return;
        onProblems(problems);
        setReview(outcome === "invalid" ? { type: "invalid", problems } : { type: "ready", diff, warnings });
      },
      (error: unknown) => isCurrent() && fail(error),
    );
  }, [changes, hash]);
  useEffect(check, [check]);

  const finish = (word: string) => {
    toast(word, "good");
    onApplied();
    onClose();
  };
  const apply = () => {
    if (review.type !== "ready") return;
    sent.current = changes;
    setReview({ ...review, type: "applying" });
    applySafely(() => ask(false), { changes, hash, signal: closed.current.signal }).then(
      ({ outcome, problems, reasons }) => {
        if (outcome === "applied") return finish("Applied. No restart needed.");
        if (outcome === "unchanged") return finish("Nothing had to be changed.");
        sent.current = undefined;
        if (outcome === "rolled-back") return setReview({ type: "rolled-back", reasons });
        onProblems(problems);
        setReview({ type: "invalid", problems });
      },
      (error: unknown) => {
        sent.current = undefined;
        fail(error);
      },
    );
  };
  return { review, count: (sent.current ?? changes).length, check, apply };
}

type Outcome = Pick<Result<"config.patch">, "outcome" | "problems" | "reasons">;

/**
 * A connection that drops says nothing about what became of it, and a second try may meet the file as the first one left it:
 * the file is looked at before anything is said.
 */
async function applySafely(
  ask: () => Promise<Outcome>,
  { changes, hash, signal }: { changes: ChangeSet; hash: string; signal: AbortSignal },
): Promise<Outcome> {
  try {
    return await ask();
  } catch (error) {
    const isOpen = isConflict(error) || (error instanceof GatewayFault && error.retryable);
    if (!isOpen) throw error;
    await untilReady(signal);
    const present = await call("config.get", {});
    if (present.hash !== hash && hasChanges(present.value, changes)) {
      return { outcome: "applied", problems: [], reasons: [] };
    }
    if (isConflict(error) || present.hash === hash) throw error;
    throw new Error("The connection was lost meanwhile, and config.json has changed, but not as it was asked to.");
  }
}

/** Waits for the connection, as long as somebody looks at the dialog. */
function untilReady(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = effect(() => {
      if (state.value.type === "ready") resolve();
    });
    signal.addEventListener("abort", () => {
      stop();
      reject(new Error("The dialog was closed."));
    });
  });
}

function ReviewBody({ review, onRetry, onShow }: { review: Review; onRetry(): void; onShow(path: string): void }) {
  switch (review.type) {
    case "checking":
      return <Spinner label="mom looks at it…" />;
    case "nothing":
      return <Note tone="good">config.json has all of this already. Nothing is left to apply.</Note>;
    case "failed":
      return <ErrorNote error={review.error} onRetry={onRetry} />;
    case "conflict":
      return (
        <Note tone="warn">
          Somebody else has changed config.json meanwhile. Load it anew; your edits stay, on top of it.
        </Note>
      );
    case "rolled-back":
      return (
        <>
          <Note tone="bad">It did not work, so mom went back to what ran before. Nothing was changed.</Note>
          <ul class="cfg-reasons">
            {review.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      );
    case "invalid":
      return (
        <>
          <Note tone="bad">mom cannot use it like this. Nothing was changed.</Note>
          <ProblemLinks problems={review.problems} onShow={onShow} />
        </>
      );
    default:
      return (
        <>
          {review.warnings.map((warning) => (
            <Note key={warning} tone="warn">
              {warning}
            </Note>
          ))}
          <DiffView diff={review.diff} />
          <p class="cfg-help">
            It is used at once; no restart is needed. If something does not work with it, mom goes back by herself.
          </p>
        </>
      );
  }
}

export function ProblemLinks({ problems, onShow }: { problems: readonly Problem[]; onShow(path: string): void }) {
  return (
    <ul class="cfg-links">
      {problems.map((problem) => (
        <li key={`${problem.path} ${problem.message}`}>
          {problem.path !== "" && (
            <button type="button" class="cfg-link" onClick={() => onShow(problem.path)}>
              {problem.path}
            </button>
          )}
          <span>{withoutPlace(problem)}</span>
          {problem.hint !== "" && <span class="cfg-hint">{problem.hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The gateway names the hash of the file that is there now. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof GatewayFault) || error.code !== "INVALID_REQUEST") return false;
  return (
    typeof error.details === "object" &&
    error.details !== null &&
    "hash" in error.details &&
    !("problems" in error.details)
  );
}
