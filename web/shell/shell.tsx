/** Navigation, top bar and the page that the address names. A change of page moves focus to its heading and is read out. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { snapshot } from "../connection.ts";
import type { PageModule } from "../pages/catalog.ts";
import { replaceRoute, route } from "../router.ts";
import { announce, EmptyState, ErrorNote, Icon, IconButton, Spinner } from "../ui/index.ts";
import { ApprovalBell } from "./approval-bell.tsx";
import { Drawer, isDrawerOpen, listPages, SideNav } from "./nav.tsx";
import { isPaletteOpen, Palette } from "./palette.tsx";
import { ReconnectBanner } from "./reconnect-banner.tsx";

const isMac = /Mac|iP/.test(navigator.platform);

export function Shell() {
  useFirstRoute();
  useShortcuts();
  const entry = listPages().find(({ path }) => path === route.value.path);
  const loaded = usePageModule(entry?.path);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnChange(heading, entry?.title);
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <SideNav />
      <Drawer />
      <div class="shell-body">
        <header class="top-bar">
          <IconButton
            class="only-phone"
            icon="menu"
            label="Open the navigation"
            onClick={() => {
              isDrawerOpen.value = true;
            }}
          />
          <h1 ref={heading} tabIndex={-1}>
            {entry?.title ?? "Not here"}
          </h1>
          <div class="top-bar-page">{loaded.module?.Header && <loaded.module.Header />}</div>
          <ApprovalBell />
          <button
            type="button"
            class="palette-button"
            aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
            onClick={() => {
              isPaletteOpen.value = true;
            }}
          >
            <Icon name="search" size={18} />
            <span class="visually-hidden">Search and commands</span>
            <kbd class="not-phone">{isMac ? "⌘" : "Ctrl"} K</kbd>
          </button>
        </header>
        <ReconnectBanner />
        <main id="main" tabIndex={-1} class={`page page-${entry?.path ?? "none"}`}>
          <PageView entry={entry?.path} loaded={loaded} />
        </main>
      </div>
      <Palette />
    </div>
  );
}

interface LoadedPage {
  module: PageModule | undefined;
  error: unknown;
  retry(): void;
}

function PageView({ entry, loaded }: { entry: string | undefined; loaded: LoadedPage }) {
  if (entry === undefined) {
    return (
      <EmptyState icon="search" title="There is no such page">
        The address names a page that mom does not have, or that you may not see.
      </EmptyState>
    );
  }
  if (loaded.error !== undefined) return <ErrorNote error={loaded.error} onRetry={loaded.retry} />;
  if (!loaded.module) {
    return (
      <div class="loading">
        <Spinner label="Loading…" />
      </div>
    );
  }
  return <loaded.module.Page />;
}

function usePageModule(path: string | undefined): LoadedPage {
  const [loaded, setLoaded] = useState<{ path?: string; module?: PageModule; error?: unknown }>({});
  const [attempt, setAttempt] = useState(0);
  // Another attempt loads again.
  useEffect(() => {
    let isWanted = true;
    const entry = listPages().find((each) => each.path === path);
    entry?.load().then(
      (module) => isWanted && setLoaded({ path: entry.path, module }),
      (error: unknown) => isWanted && setLoaded({ path: entry.path, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [path, attempt]);
  const isPresent = loaded.path === path;
  return {
    module: isPresent ? loaded.module : undefined,
    error: isPresent ? loaded.error : undefined,
    retry: () => setAttempt((before) => before + 1),
  };
}

/** An address without a page: the welcome where nobody has set mom up, else the chat. */
function useFirstRoute(): void {
  useSignalEffect(() => {
    if (route.value.path === "" && snapshot.value) replaceRoute(snapshot.value.needsSetup ? "welcome" : "chat");
  });
}

function useFocusOnChange(heading: { current: HTMLHeadingElement | null }, title: string | undefined): void {
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = title === undefined ? "mom" : `${title} · mom`;
    if (title === undefined) return;
    // The first page has not been changed to: whoever opens the UI begins at its top.
    if (isFirst.current) isFirst.current = false;
    else {
      heading.current?.focus();
      announce(`${title} page`);
    }
  }, [heading, title]);
}

function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.peek();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
