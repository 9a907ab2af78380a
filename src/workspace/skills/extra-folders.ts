/**
 * The folders that the operator names in `skills.extraFolders`: those that may be searched, and those that are too wide
 * because they hold the data directory or the home folder, links followed. What is searched can be read by the model.
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../../contracts/clock.ts";
import { isInside } from "../read-file.ts";
import type { SkillsConfig } from "./config.ts";
import { isFresh } from "./watched-paths.ts";

export interface ExtraFoldersDeps {
  dataDir: string;
  homeDir: string;
  config(): Pick<SkillsConfig, "extraFolders">;
  clock: Clock;
}

export interface CheckedFolders {
  usable: string[];
  tooWide: string[];
}

export interface ExtraFolders {
  /** Where links lead now, or led less than a second ago. Absolute, in the order of the config. Never rejects. */
  check(): Promise<CheckedFolders>;
  /** The usable ones of the config as of the last check; one that was not checked yet is none of them. */
  known(): string[];
}

export function createExtraFolders({ dataDir, homeDir, config, clock }: ExtraFoldersDeps): ExtraFolders {
  let last: (CheckedFolders & { lookedAtMs: number }) | undefined;
  const list = () => config().extraFolders.map((folder) => resolve(dataDir, folder.replace(/^~(?=$|[/\\])/, homeDir)));
  return {
    async check() {
      const folders = list();
      const lookedAtMs = clock.monotonic();
      const checked = [...(last?.usable ?? []), ...(last?.tooWide ?? [])];
      const isChecked = checked.length === folders.length && folders.every((folder) => checked.includes(folder));
      if (last && isChecked && isFresh(last.lookedAtMs, lookedAtMs)) return last;
      const kept = await Promise.all([dataDir, homeDir].map(toReal));
      const found: CheckedFolders = { usable: [], tooWide: [] };
      for (const folder of folders) {
        const real = await toReal(folder);
        (kept.some((each) => isInside(each, real)) ? found.tooWide : found.usable).push(folder);
      }
      last = { ...found, lookedAtMs };
      return found;
    },
    known: () => list().filter((folder) => last?.usable.includes(folder)),
  };
}

const toReal = (path: string): Promise<string> => realpath(path).catch(() => path);
