/** What would come of the edits, shown before anything happens: problems, or the diff and a button that applies it. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { GatewayFault } from "../../../src/gateway/protocol/index.ts";
import { call, newKey } from "../../connection.ts";
import { Button, Dialog, ErrorNote, Note, Spinner, toast } from "../../ui/index.ts";
import { type ChangeSet, mostChanges, toPatch } from "./change-set.ts";
import { DiffView } from "./diff-view.tsx";
import { type Problem, withoutPlace } from "./form.ts";

type Review =
  | { type: "checking" }
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
  const { changes, onClose } = props;
  const { review, check, apply } = useReview(props);
  const isReady = review.type === "ready" || review.type === "applying";
  return (
    <Dialog
      isOpen
      title={changes.length === 1 ? "Review 1 change" : `Review ${changes.length} changes`}
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
  const ask = useCallback(
    (dryRun: boolean) => call("config.patch", { changes: toPatch(changes), hash, dryRun, idempotencyKey: newKey() }),
    [changes, hash],
  );
  const fail = (error: unknown) => setReview(isConflict(error) ? { type: "conflict" } : { type: "failed", error });

  const check = useCallback(() => {
    if (changes.length > mostChanges) {
      const message = `There are ${changes.length} changes; ${mostChanges} can be applied at once. Take some back, apply, and go on.`;
      return setReview({ type: "failed", error: new Error(message) });
    }
    setReview({ type: "checking" });
    ask(true).then(({ outcome, problems, diff, warnings }) => {
      onProblems(problems);
      setReview(outcome === "invalid" ? { type: "invalid", problems } : { type: "ready", diff, warnings });
    }, fail);
  }, [ask, changes.length]);
  useEffect(check, [check]);

  const apply = () => {
    if (review.type !== "ready") return;
    setReview({ ...review, type: "applying" });
    ask(false).then(({ outcome, problems, reasons }) => {
      if (outcome === "invalid") {
        onProblems(problems);
        return setReview({ type: "invalid", problems });
      }
      if (outcome === "rolled-back") return setReview({ type: "rolled-back", reasons });
      toast(outcome === "applied" ? "Applied. No restart needed." : "Nothing had to be changed.", "good");
      onApplied();
      onClose();
    }, fail);
  };
  return { review, check, apply };
}

function ReviewBody({ review, onRetry, onShow }: { review: Review; onRetry(): void; onShow(path: string): void }) {
  switch (review.type) {
    case "checking":
      return <Spinner label="mom looks at it…" />;
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
