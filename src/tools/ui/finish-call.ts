/** What goes with every answer of the browser: where it is now, what happened on the way, what was downloaded. */
import type { ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { type BrowserDetails, buildReport, type Report } from "./build-report.ts";
import { takeSnapshot } from "./page-views.ts";
import type { BrowserCall } from "./run-action.ts";
import { saveDownload } from "./saved-files.ts";

/** What comes along unasked after a page has changed; `snapshot` gives all. */
const glance = { offset: 1, maxLines: 150, maxBytes: 10 * 1024 };

export async function finishCall(call: BrowserCall, report: Report): Promise<ToolResult<BrowserDetails>> {
  const { tabs, params, deadline } = call;
  const saved = await takeDownloads(call);
  const page = tabs.current;
  const notices = [...tabs.takeNotices(), ...saved];
  if (page === undefined) return buildReport({ ...report, notices, action: params.action });
  const snapshot = report.isChanged === true ? await takeSnapshot(page, glance, deadline) : report.snapshot;
  if (snapshot !== undefined) tabs.rememberSnapshot(page, snapshot.whole);
  return buildReport({
    ...report,
    ...(snapshot === undefined ? {} : { snapshot }),
    notices,
    action: params.action,
    page: { url: page.url(), title: await deadline.wait(page.title()) },
  });
}

async function takeDownloads({ tabs, deadline, operations, scratchFolder }: BrowserCall): Promise<string[]> {
  const lines: string[] = [];
  for (const download of tabs.downloads) {
    const ended = await deadline.wait(download.ended).catch(() => undefined);
    if (ended === undefined) {
      lines.push(`Still downloading: ${download.name}. Wait some seconds.`);
      continue;
    }
    tabs.downloads.delete(download);
    if (ended.type === "failed") {
      lines.push(`The download of ${download.name} was given up: ${ended.reason}.`);
      continue;
    }
    const path = await saveDownload(operations, scratchFolder, download.name, ended.data);
    lines.push(`Downloaded: ${path} (${formatBytes(ended.data.length)}).`);
  }
  return lines;
}
