/** What stands where there is nothing (yet): empty, loading, failed. */
import type { ComponentChildren } from "preact";
import { describeError, type Loaded } from "../connection.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div class="empty-text">{children}</div>}
      {action}
    </div>
  );
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="note note-bad" role="alert">
      <Icon name="warning" size={18} />
      <div class="note-text">{describeError(error)}</div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Note({
  tone = "neutral",
  children,
}: {
  tone?: "neutral" | "warn" | "bad" | "good";
  children: ComponentChildren;
}) {
  return (
    <div class={`note note-${tone}`}>
      <Icon name={tone === "neutral" ? "info" : tone === "good" ? "check" : "warning"} size={18} />
      <div class="note-text">{children}</div>
    </div>
  );
}

/** The three states of a `useCall`: `<Await of={sessions}>{(data) => …}</Await>`. */
export function Await<Data>({ of, children }: { of: Loaded<Data>; children: (data: Data) => ComponentChildren }) {
  if (of.data !== undefined) {
    return (
      <>
        {of.error !== undefined && <ErrorNote error={of.error} onRetry={of.reload} />}
        {children(of.data)}
      </>
    );
  }
  if (of.error !== undefined) return <ErrorNote error={of.error} onRetry={of.reload} />;
  return (
    <div class="loading">
      <Spinner label="Loading…" />
    </div>
  );
}
