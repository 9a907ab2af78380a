/** A state in one or two words. The colour only repeats what the word says. */
import type { ComponentChildren } from "preact";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
