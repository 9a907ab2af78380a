/**
 * The open pages of one session, one of them current. Takes in what a page does by itself (dialogs, pop-ups, downloads,
 * file choosers, crashes) and keeps a word about it for the next answer to the model.
 */
import type { BrowserContext, Dialog, Download, Page } from "playwright-core";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import { shortenLine } from "../kit/truncate.ts";
import { type DownloadWatch, watchDownload } from "./watch-download.ts";

export interface SessionTabs {
  /** In the order they were opened. */
  readonly pages: readonly Page[];
  /** Undefined when none is open. */
  readonly current: Page | undefined;
  /** The current page. Throws `BROWSER_NO_PAGE`, and `BROWSER_PAGE_CRASHED` for one that crashed; that one is closed. */
  need(): Page;
  /** A new one, which becomes current. Throws `BROWSER_TABS_FULL`. */
  open(): Promise<Page>;
  /** Makes another one current. Throws `BROWSER_NO_TAB`. */
  pick(index: number): Page;
  close(which: "current" | "all"): Promise<void>;
  /** What the model was shown of a page: refs mean that. */
  rememberSnapshot(page: Page, text: string): void;
  /** The current page's element with this ref, as it was shown: `button "Buy"`. Foreign text. */
  lineOf(ref: string): string | undefined;
  /** How dialogs are answered from now on. Leaving a page is never kept up. */
  answerDialogs(how: "accept" | "dismiss"): void;
  /** What happened since the last call. Foreign text. */
  takeNotices(): string[];
  /** A page has asked for a window that is not there yet. */
  isOpening(): boolean;
  /** Those that nobody reported yet. */
  readonly downloads: Set<DownloadWatch>;
}

export interface SessionTabsDependencies {
  context: BrowserContext;
  clock: Clock;
  maxTabs: number;
  downloadsFolder: string;
}

const maxNotices = 20;
const maxNoticeLength = 300;
const maxDownloads = 5;
/** A window that was asked for and does not come was blocked. */
const longestOpeningMs = 2_000;

export function createSessionTabs({ context, clock, maxTabs, downloadsFolder }: SessionTabsDependencies): SessionTabs {
  const pages: Page[] = [];
  const crashed = new WeakSet<Page>();
  const snapshots = new WeakMap<Page, string>();
  const downloads = new Set<DownloadWatch>();
  let current: Page | undefined;
  let notices: string[] = [];
  let opening = 0;
  let dialogAnswer: "accept" | "dismiss" = "dismiss";

  const note = (text: string) => {
    if (notices.length < maxNotices) notices.push(shortenLine(text.replace(/\s+/g, " "), maxNoticeLength));
  };
  const onDialog = async (dialog: Dialog) => {
    const isLeaving = dialog.type() === "beforeunload";
    const isAccepted = isLeaving || dialog.type() === "alert" || dialogAnswer === "accept";
    if (!isLeaving)
      note(
        `The page showed a dialog (${dialog.type()}): "${dialog.message()}". It was ${isAccepted ? "accepted" : "dismissed"}.`,
      );
    await (isAccepted ? dialog.accept() : dialog.dismiss());
  };
  const onDownload = (download: Download) => {
    if (downloads.size < maxDownloads) return void downloads.add(watchDownload(download, downloadsFolder, clock));
    note("One more download was refused: too many at once.");
    download.cancel().catch(() => undefined);
  };
  /** The driver tells of a window when it is there; the browser, when it is asked for. */
  const watchOpening = async (page: Page) => {
    const devtools = await context.newCDPSession(page);
    devtools.on("Page.windowOpen", () => {
      opening++;
      clock.after(longestOpeningMs, () => {
        opening = Math.max(0, opening - 1);
      });
    });
    await devtools.send("Page.enable");
  };
  const onPopup = (popup: Page) => {
    opening = 0;
    if (pages.length < maxTabs) {
      adopt(popup);
      return note(`A new tab was opened and is the current one: ${popup.url()}`);
    }
    note(`A new tab was closed at once: ${maxTabs} are open already.`);
    popup.close().catch(() => undefined);
  };
  const onClose = (page: Page) => {
    const at = pages.indexOf(page);
    if (at !== -1) pages.splice(at, 1);
    if (current === page) current = pages[Math.min(at, pages.length - 1)];
  };
  const adopt = (page: Page) => {
    pages.push(page);
    current = page;
    page.on("dialog", (dialog) => void onDialog(dialog).catch(() => undefined));
    page.on("popup", onPopup);
    page.on("download", onDownload);
    page.on("filechooser", () => note("The page asked for a file; none was given."));
    page.on("crash", () => crashed.add(page));
    page.on("close", () => onClose(page));
    watchOpening(page).catch(() => undefined);
  };

  return {
    pages,
    downloads,
    get current() {
      return current;
    },
    need() {
      if (current === undefined) throw noPage();
      if (!crashed.has(current)) return current;
      const page = current;
      onClose(page);
      page.close().catch(() => undefined);
      throw new ToolError("BROWSER_PAGE_CRASHED", "The page crashed and was closed", { hint: "Open it again." });
    },
    async open() {
      if (pages.length >= maxTabs) {
        throw new ToolError("BROWSER_TABS_FULL", `${maxTabs} tabs are open already`, { hint: "Close one first." });
      }
      const page = await context.newPage();
      adopt(page);
      return page;
    },
    pick(index) {
      const page = pages[index];
      if (page === undefined) {
        throw new ToolError("BROWSER_NO_TAB", `There is no tab ${index}`, { hint: `See them with action "tabs".` });
      }
      current = page;
      return page;
    },
    async close(which) {
      const closing = which === "all" ? [...pages] : current === undefined ? [] : [current];
      for (const page of closing) onClose(page);
      await Promise.all(closing.map((page) => page.close().catch(() => undefined)));
      if (pages.length > 0) return;
      for (const download of downloads) await download.cancel();
      downloads.clear();
      notices = [];
    },
    rememberSnapshot: (page, text) => void snapshots.set(page, text),
    lineOf(ref) {
      const lines = (current === undefined ? undefined : snapshots.get(current))?.split("\n");
      return lines?.find((line) => line.includes(`[ref=${ref}]`))?.trim();
    },
    isOpening: () => opening > 0,
    answerDialogs(how) {
      dialogAnswer = how;
    },
    takeNotices() {
      const taken = notices;
      notices = [];
      return taken;
    },
  };
}

export const noPage = () =>
  new ToolError("BROWSER_NO_PAGE", "No page is open", {
    hint: `Open one with action "open"; pages that were left alone are closed.`,
  });
