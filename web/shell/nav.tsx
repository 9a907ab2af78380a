/** The way from page to page: beside them on a wide screen, in a drawer on a phone. */
import { signal } from "@preact/signals";
import { features, server, state } from "../connection.ts";
import { type PageEntry, pages } from "../pages/catalog.ts";
import { pickPages } from "../pages/pick-pages.ts";
import { href, route } from "../router.ts";
import { useModal } from "../ui/dialog.tsx";
import { Icon, IconButton } from "../ui/index.ts";
import { nextTheme, theme } from "./theme.ts";

export const isDrawerOpen = signal(false);

export const listPages = (): PageEntry[] => pickPages(pages, features.value);

const groups: { id: PageEntry["group"]; label: string }[] = [
  { id: "talk", label: "Conversations" },
  { id: "mom", label: "Abilities" },
  { id: "house", label: "House" },
];

export function SideNav() {
  return (
    <nav class="side-nav" aria-label="Pages">
      <NavInside />
    </nav>
  );
}

export function Drawer() {
  const element = useModal(isDrawerOpen.value);
  const close = () => {
    isDrawerOpen.value = false;
  };
  return (
    <dialog
      ref={element}
      class="drawer"
      aria-label="Navigation"
      onClose={close}
      onClick={(event) => {
        const target = event.target;
        if (target === element.current || (target instanceof Element && target.closest("a"))) close();
      }}
      onKeyDown={() => undefined}
    >
      {isDrawerOpen.value && <NavInside onClose={close} />}
    </dialog>
  );
}

function NavInside({ onClose }: { onClose?: () => void }) {
  const shown = listPages();
  return (
    <>
      <div class="nav-head">
        <a class="brand" href={href("chat")}>
          <svg class="brand-mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
            <rect width="32" height="32" rx="9" />
            <path d="M8 22v-7a4 4 0 0 1 8 0v7m0-7a4 4 0 0 1 8 0v7" />
          </svg>
          mom
        </a>
        {onClose && <IconButton icon="close" label="Close the navigation" onClick={onClose} />}
      </div>
      <div class="nav">
        {groups.map(({ id, label }) => (
          <NavGroup key={id} label={label} entries={shown.filter(({ group }) => group === id)} />
        ))}
      </div>
      <div class="nav-foot">
        <ConnectionDot />
        <IconButton
          icon={theme.value === "dark" ? "moon" : theme.value === "light" ? "sun" : "auto"}
          label={`Theme: ${theme.value}. Change`}
          onClick={nextTheme}
        />
      </div>
    </>
  );
}

function NavGroup({ label, entries }: { label: string; entries: PageEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <div class="nav-group">
      <h2 class="nav-label">{label}</h2>
      <ul>
        {entries.map(({ path, title, icon }) => (
          <li key={path}>
            <a class="nav-link" href={href(path)} aria-current={route.value.path === path ? "page" : undefined}>
              <Icon name={icon} />
              {title}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ConnectionDot() {
  const isReady = state.value.type === "ready";
  return (
    <div class="connection-dot">
      <span class={`dot ${isReady ? "dot-good" : "dot-warn"}`} aria-hidden="true" />
      <span class="muted">{isReady ? `mom ${server.value?.version ?? ""}` : "reconnecting"}</span>
    </div>
  );
}
