/** Finds prompt templates: `prompts/*.md` of the workspace, the data directory and the user's home, the first place wins. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { PromptTemplate } from "../../contracts/workspace.ts";
import type { Complain } from "../complaints.ts";
import { sliceStart } from "../cut-text.ts";
import { createFileCache, type FileRequest } from "../file-cache.ts";
import { isInside, type WorkspaceText } from "../read-file.ts";
import { listFolder } from "../skills/list-folder.ts";
import { loadFrontmatterParser } from "./catalog.ts";

/** A folder of templates; nothing in it may lead out of `root`. */
export interface TemplatePlace {
  root: string;
  /** Relative to the root; `.` is the root itself. */
  folder: string;
}

export interface LoadedTemplate {
  template: PromptTemplate;
  body: string;
  /** Why it cannot be called: a sentence about the file, without its name. */
  problem?: string;
}

export interface TemplateLibrary {
  /** One per name, without regard to case, in the order of names. */
  list(): Promise<LoadedTemplate[]>;
}

interface Request extends FileRequest {
  name: string;
}

const fileName = /^([a-z0-9][a-z0-9_-]{0,63})\.md$/i;
const maxEntriesPerFolder = 1000;
const maxBytes = 65_536;
const maxDescriptionChars = 200;

export function createTemplateLibrary({
  places,
  clock,
  complain,
}: {
  places: readonly TemplatePlace[];
  clock: Clock;
  complain: Complain;
}): TemplateLibrary {
  const cache = createFileCache<Request, LoadedTemplate>({
    clock,
    complain,
    build: (file, request) => toTemplate(file, request, complain),
  });

  const listPlace = async (place: TemplatePlace): Promise<LoadedTemplate[]> => {
    const names = await listNames(place, complain);
    const requests = names.flatMap((entry): Request[] => {
      const name = fileName.exec(entry)?.[1];
      return name === undefined
        ? []
        : [{ root: place.root, path: join(place.folder, entry), name, limits: { maxBytes } }];
    });
    const loaded = await Promise.all(requests.map((request) => cache.get(request)));
    return loaded.filter((template) => template !== undefined);
  };

  return {
    async list() {
      const byName = new Map<string, LoadedTemplate>();
      for (const loaded of (await Promise.all(places.map(listPlace))).flat()) {
        const key = loaded.template.name.toLowerCase();
        if (!byName.has(key)) byName.set(key, loaded);
      }
      return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, loaded]) => loaded);
    },
  };
}

/** Sorted. The folder itself may be a link as well, so it is held to the same rule as the files in it. */
async function listNames({ root, folder }: TemplatePlace, complain: Complain): Promise<string[]> {
  const path = join(root, folder);
  try {
    const real = await realpath(path);
    if (!isInside(real, await realpath(root))) {
      complain(path, "it leads out of its folder");
      return [];
    }
    const listing = await listFolder(real, maxEntriesPerFolder);
    if (listing.type === "unusable") {
      complain(path, `it ${listing.reason}`);
      return [];
    }
    if (listing.isCut) complain(path, `it has more than ${maxEntriesPerFolder} entries, and some are left out`);
    return listing.entries.map(({ name }) => name);
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    if (code !== "ENOENT") complain(path, `it cannot be read (${code})`);
    return [];
  }
}

async function toTemplate(
  file: WorkspaceText,
  { root, path, name }: Request,
  complain: Complain,
): Promise<LoadedTemplate> {
  const absolute = join(root, path);
  const refuse = (problem: string): LoadedTemplate => {
    complain(absolute, problem);
    return { template: { name, description: problem, path: absolute }, body: "", problem };
  };
  if (!file.isWhole) return refuse(`it is longer than ${maxBytes} bytes`);
  const head = await readHead(file.text);
  if (head.type === "invalid") return refuse(`it ${toPrintable(head.message)}`);
  const body = head.body.trim();
  if (body === "") return refuse("it is empty");
  const hint = toLine(head.fields["argument-hint"]);
  const description = toLine(head.fields["description"]) ?? toLine(firstLineOf(body)) ?? name;
  return { template: { name, description, path: absolute, ...(hint !== undefined && { argumentHint: hint }) }, body };
}

async function readHead(text: string) {
  if (!text.startsWith("---")) return { type: "ok" as const, fields: {}, body: text };
  const parseFrontmatter = await loadFrontmatterParser();
  const head = parseFrontmatter(text);
  return head.type === "absent" ? { type: "ok" as const, fields: {}, body: text } : head;
}

/** One printable line, or undefined for what is no text. `[file]` is a list to YAML and a hint to people. */
function toLine(value: unknown): string | undefined {
  const text =
    Array.isArray(value) && value.every((part) => typeof part === "string") ? `[${value.join(", ")}]` : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return toPrintable(sliceStart(text.trim().replaceAll(/\s+/g, " "), maxDescriptionChars));
}

function firstLineOf(body: string): string {
  const [line = ""] = body.split("\n", 1);
  return line.replace(/^#+\s+/, "");
}
