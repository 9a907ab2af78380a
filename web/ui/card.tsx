/** A framed part of a page, with a heading where it has one. */
import type { ComponentChildren } from "preact";

interface CardProps {
  title?: ComponentChildren;
  /** Beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Card({ title, actions, children }: CardProps) {
  return (
    <section class="card">
      {(title !== undefined || actions !== undefined) && (
        <header class="card-head">
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div class="card-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** One number with its name: `<Stat label="Calls" value="12" />`. */
export function Stat({ label, value, hint }: { label: string; value: ComponentChildren; hint?: ComponentChildren }) {
  return (
    <div class="stat">
      <div class="stat-label">{label}</div>
      <div class="stat-value">{value}</div>
      {hint !== undefined && <div class="stat-hint">{hint}</div>}
    </div>
  );
}
