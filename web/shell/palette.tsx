/** Ctrl-K: pages, conversations and actions by their names. Arrow keys choose, Enter goes. */
import { signal } from "@preact/signals";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import type { SessionSummary } from "../../src/gateway/protocol/index.ts";
import { call, can } from "../connection.ts";
import { nameOfSession } from "../names.ts";
import { go } from "../router.ts";
import { useModal } from "../ui/dialog.tsx";
import { Icon, type IconName, relativeTime } from "../ui/index.ts";
import { listActions } from "./actions.ts";
import { listPages } from "./nav.tsx";
import { setTheme } from "./theme.ts";

export const isPaletteOpen = signal(false);

interface Choice {
  id: string;
  icon: IconName;
  title: string;
  detail: string;
  run(): void;
}

export function Palette() {
  const element = useModal(isPaletteOpen.value);
  const close = () => {
    isPaletteOpen.value = false;
  };
  return (
    <dialog
      ref={element}
      class="palette"
      aria-label="Search and commands"
      onClose={close}
      onClick={(event) => event.target === element.current && close()}
      onKeyDown={() => undefined}
    >
      {isPaletteOpen.value && <PaletteInside onClose={close} />}
    </dialog>
  );
}

function PaletteInside({ onClose }: { onClose(): void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const choices = useChoices(text);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      const next = (Math.min(at, choices.length - 1) + step + choices.length) % choices.length;
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      run(chosen);
    }
  };
  return (
    <>
      <div class="palette-head">
        <Icon name="search" />
        <input
          class="palette-input"
          type="text"
          role="combobox"
          aria-label="Search pages, conversations and actions"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen ? `${id}-${choices.indexOf(chosen)}` : undefined}
          placeholder="Go to a page, a conversation, or do something…"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label="Found" tabIndex={-1}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are taken by the input, which says which option is active.
          <div
            key={choice.id}
            id={`${id}-${index}`}
            class="palette-choice"
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => run(choice)}
          >
            <Icon name={choice.icon} size={18} />
            <span class="palette-title">{choice.title}</span>
            <span class="palette-detail">{choice.detail}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <div class="palette-none muted">Nothing is called that.</div>}
    </>
  );
}

function useChoices(text: string): Choice[] {
  const sessions = useSessions(text);
  return useMemo(() => {
    const pages = listPages().map(({ path, title, icon, summary }) => ({
      id: `page ${path}`,
      icon,
      title,
      detail: summary,
      run: () => go(path),
    }));
    const actions = [...listActions(), ...themeActions].map((action) => ({ ...action, detail: "Action" }));
    const fits = matcher(text);
    const found = [...pages, ...actions].filter(({ title, detail }) => fits(`${title} ${detail}`));
    // What is called that comes before what only has to do with it.
    const byTitle = found.toSorted((a, b) => Number(fits(b.title)) - Number(fits(a.title)));
    return [...byTitle, ...sessions.map(toChoice)];
  }, [text, sessions]);
}

const toChoice = (session: SessionSummary): Choice => ({
  id: `session ${session.sessionKey}`,
  icon: "sessions",
  title: nameOfSession(session),
  detail: relativeTime(session.updatedAt),
  run: () => go("chat", session.sessionKey),
});

const themeActions = (["dark", "light", "auto"] as const).map((name) => ({
  id: `theme ${name}`,
  icon: ({ dark: "moon", light: "sun", auto: "auto" } as const)[name],
  title: name === "auto" ? "Theme as the system" : `${name === "dark" ? "Dark" : "Light"} theme`,
  run: () => setTheme(name),
}));

/** Every word of the search stands somewhere in the text. */
function matcher(search: string): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

function useSessions(search: string): SessionSummary[] {
  const [found, setFound] = useState<SessionSummary[]>([]);
  useEffect(() => {
    if (!can("sessions.list")) return;
    let isWanted = true;
    const timer = setTimeout(async () => {
      const text = search.trim();
      const result = await call("sessions.list", { limit: 20, ...(text !== "" && { search: text }) }).catch(
        () => undefined,
      );
      if (isWanted && result) setFound(result.sessions);
    }, 120);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [search]);
  return found;
}
