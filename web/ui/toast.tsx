/** Short news at the edge of the page, read out too: `toast("Saved")`. Errors stay until they are closed. */
import { signal } from "@preact/signals";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

type Tone = "info" | "good" | "bad";

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const most = 4;
const shownMs = 5_000;
const toasts = signal<readonly Toast[]>([]);
const counter = { next: 1 };

export function toast(text: string, tone: Tone = "info"): void {
  const id = counter.next++;
  toasts.value = [...toasts.peek().filter((each) => each.text !== text), { id, text, tone }].slice(-most);
  if (tone !== "bad") setTimeout(() => dismiss(id), shownMs);
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((each) => each.id !== id);
}

/** Once, in the shell. */
export function ToastHost() {
  return (
    <section class="toasts" aria-label="Notices" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <Icon name={tone === "bad" ? "warning" : tone === "good" ? "check" : "info"} size={18} />
          <span>{text}</span>
          <IconButton icon="close" size="small" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}

const spoken = signal("");

/** Read out, not shown. */
export function announce(text: string): void {
  // The same words twice are read twice only if they differ.
  spoken.value = spoken.peek() === text ? `${text}\u00a0` : text;
}

/** Once, in the shell. */
export function LiveRegion() {
  return (
    <div class="visually-hidden" aria-live="polite" role="status">
      {spoken.value}
    </div>
  );
}
