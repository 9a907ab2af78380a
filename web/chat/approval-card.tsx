/** A call that waits for a person's word: exactly what would happen, nothing cut and nothing hidden, and the answers. */
import { useEffect, useState } from "preact/hooks";
import type { ApprovalSummary } from "../../src/gateway/protocol/index.ts";
import { call, can, describeError } from "../connection.ts";
import { useNow } from "../shell/use-now.ts";
import { announce, Button, CopyButton, formatDuration, Icon, toast } from "../ui/index.ts";
import { toPieces } from "./visible.ts";

type Verdict = "once" | "always" | "deny";

/** A card that appears under the pointer must not take the click that was meant for something else. */
const settleMs = 600;

export function ApprovalCard({ approval }: { approval: ApprovalSummary }) {
  const { id, tool, text, reason, expiresAt } = approval;
  const now = useNow(1_000);
  useEffect(() => announce(`mom asks for your word: ${tool}`), [tool]);
  const leftMs = expiresAt - now;
  return (
    <section class="approval" aria-label={`Approval ${id}`}>
      <header>
        <Icon name="shield" />
        <h2>
          May <code>{tool}</code> do this?
        </h2>
        <span class="muted small">{leftMs > 0 ? `${formatDuration(leftMs)} left` : "its time is over"}</span>
      </header>
      <p>{reason}</p>
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <pre class="is-wrapped approval-text" tabIndex={0}>
          <Visible text={text} />
        </pre>
        <CopyButton text={text} label="Copy the command" />
      </div>
      <Facts approval={approval} />
      {can("approvals.resolve") ? (
        <Answers approval={approval} />
      ) : (
        <p class="muted">You may see this and not answer it.</p>
      )}
    </section>
  );
}

function Facts({ approval: { text, cwd, sender, rules } }: { approval: ApprovalSummary }) {
  const lines = text.split("\n").length;
  return (
    <dl class="facts small">
      <dt>Size</dt>
      <dd>
        {lines === 1 ? "1 line" : `${lines} lines`}, {[...text].length} characters
      </dd>
      {cwd !== "" && (
        <>
          <dt>Folder</dt>
          <dd class="mono">
            <Visible text={cwd} />
          </dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd class="mono">
        <Visible text={sender} />
      </dd>
      <dt>“Always” stores</dt>
      <dd>{rules.length === 0 ? "nothing: this can be allowed only once at a time" : <Rules rules={rules} />}</dd>
    </dl>
  );
}

function Rules({ rules }: { rules: readonly string[] }) {
  return (
    <ul class="approval-rules">
      {rules.map((rule) => (
        <li key={rule} class="mono">
          <Visible text={rule} />
        </li>
      ))}
    </ul>
  );
}

function Answers({ approval: { id, rules } }: { approval: ApprovalSummary }) {
  const [busy, setBusy] = useState<Verdict | undefined>(undefined);
  const isSettled = useSettled(id);
  const answer = async (verdict: Verdict) => {
    setBusy(verdict);
    try {
      const { outcome } = await call("approvals.resolve", { id, verdict });
      toast(outcome === "late" ? "Somebody has answered already, or its time was over" : said[verdict]);
    } catch (error) {
      toast(describeError(error), "bad");
      setBusy(undefined);
    }
  };
  const choices = buttons.filter(({ verdict }) => verdict !== "always" || rules.length > 0);
  return (
    <div class="row">
      {choices.map(({ verdict, label, variant }) => (
        <Button
          key={verdict}
          variant={variant}
          isBusy={busy === verdict}
          disabled={!isSettled || busy !== undefined}
          onClick={() => answer(verdict)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

const buttons = [
  { verdict: "once", label: "Allow once", variant: "primary" },
  { verdict: "always", label: "Always allow", variant: "default" },
  { verdict: "deny", label: "Deny", variant: "danger" },
] as const;

const said: Readonly<Record<Verdict, string>> = {
  once: "Allowed once",
  always: "Allowed from now on",
  deny: "Denied",
};

function useSettled(id: string): boolean {
  const [settled, setSettled] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), settleMs);
    return () => clearTimeout(timer);
  }, [id]);
  return settled === id;
}

function Visible({ text }: { text: string }) {
  return (
    <>
      {toPieces(text).map((piece, n) =>
        piece.isNumber ? (
          <mark key={n} title="A character that is invisible or easily taken for another, by its number">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
