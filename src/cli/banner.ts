/** The first lines of the chat on a terminal: who answers and how to leave; on the first start also where everything is. */

export interface BannerFacts {
  dataDir: string;
  version: string;
  /** `provider/model`, or why there is none. */
  model: string;
  isNew: boolean;
  /** Where the web page is; absent: there is none. */
  url?: string | undefined;
  /** Lets one browser in, once: shown while nobody has set mom up there. */
  link?: string | undefined;
}

const offlineModel = "mom/offline";

export function buildBanner({ dataDir, version, model, isNew, url, link }: BannerFacts): string {
  const page = link ? [`In the browser: ${link} (good once, for ten minutes)`] : url ? [`In the browser: ${url}`] : [];
  const line = [`mom ${version} · ${model} · /help for commands, Ctrl-D to leave`, ...page].join("\n");
  if (!isNew) return line;
  const who =
    model === offlineModel
      ? "Answers come from the built-in offline helper: rules, no language model; try “help”. `mom auth add anthropic` (or openai, google …) adds the key of a real model."
      : `Answers come from ${model}.`;
  return [line, `Welcome! Everything mom knows is in ${dataDir}; config.json there is yours to edit.`, who].join("\n");
}
