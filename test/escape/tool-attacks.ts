/** What the file tools are asked for. They run in mom herself, so the path guard is all there is between them and the disk. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Operations } from "../../src/contracts/sandbox.ts";
import { toRealPath } from "../../src/sandbox/real-path.ts";
import { createApplyPatchTool } from "../../src/tools/fs/apply-patch.ts";
import { createEditTool } from "../../src/tools/fs/edit.ts";
import { createFindTool } from "../../src/tools/fs/find.ts";
import { createGrepTool } from "../../src/tools/fs/grep.ts";
import { createLsTool } from "../../src/tools/fs/ls.ts";
import { createReadTool } from "../../src/tools/fs/read.ts";
import { createTextWork } from "../../src/tools/fs/text-work.ts";
import { createWriteTool } from "../../src/tools/fs/write.ts";
import { createImageWork } from "../../src/tools/kit/image-work.ts";
import { textOf } from "../fakes/tool-workspace.ts";
import { type Scene, showAll, type Weakening } from "./scene.ts";

export interface ToolAttack {
  name: string;
  guard: string;
  as: "group" | "owner";
  /** What the tool answers; may reject. */
  attempt(tools: FileTools, scene: Scene): Promise<string>;
  /** Did it get what it wanted? */
  succeeded(answer: string, scene: Scene): boolean | Promise<boolean>;
  without: Weakening;
}

export type FileTools = ReturnType<typeof createFileTools>;

export function createFileTools(operations: Operations) {
  const clock = createSystemClock();
  const imageWork = createImageWork({ clock });
  const textWork = createTextWork({ clock });
  const signal = new AbortController().signal;
  const ignore = () => undefined;
  const read = createReadTool(operations, { imageWork });
  const ls = createLsTool(operations);
  const find = createFindTool(operations);
  const grep = createGrepTool(operations);
  const edit = createEditTool(operations, { textWork });
  const write = createWriteTool(operations);
  const patch = createApplyPatchTool(operations, { textWork });
  return {
    read: async (path: string) => textOf(await read.execute("1", { path }, signal, ignore)),
    ls: async (path: string) => textOf(await ls.execute("1", { path }, signal, ignore)),
    find: async (path: string) => textOf(await find.execute("1", { pattern: "*", path }, signal, ignore)),
    grep: async (pattern: string, path: string) => textOf(await grep.execute("1", { pattern, path }, signal, ignore)),
    edit: async (path: string, oldText: string) =>
      textOf(await edit.execute("1", { path, oldText, newText: "changed" }, signal, ignore)),
    write: async (path: string) => textOf(await write.execute("1", { path, content: "changed" }, signal, ignore)),
    patch: async (path: string) => {
      const text = `*** Begin Patch\n*** Add File: ${path}\n+changed\n*** End Patch`;
      return textOf(await patch.execute("1", { patch: text }, signal, ignore));
    },
    async close() {
      await Promise.all([imageWork.close(), textWork.close()]);
    },
  };
}

/** Follows every path to wherever it leads. */
const noGuard: Weakening = {
  guard: (scope, guard) => ({
    ...guard,
    resolve: (path) => toRealPath(resolve(scope.cwd, path)),
    ensureAllowed: async () => undefined,
    ensureWritable: async () => undefined,
    ensureOwnName: async () => undefined,
    hidden: async () => [],
  }),
};
/** find and grep have two: ripgrep itself runs in the sandbox. */
const neither: Weakening = { ...noGuard, ...showAll };

const guard = "the path guard";
const tellsSecret = (answer: string, { secret }: Scene) => answer.includes(secret);
const ways: Record<string, (scene: Scene) => string> = {
  "its path": ({ otherDir }) => `${otherDir}/log.jsonl`,
  "..": () => "../C2/log.jsonl",
  "a link": () => "way/log.jsonl",
  "a hard link": () => "linked.txt",
  "a path that first goes inside": ({ channelDir }) => `${channelDir}/./../C2/log.jsonl`,
};

const readings = Object.entries(ways).map(
  ([way, toPath]): ToolAttack => ({
    name: `read: another channel's log by ${way}`,
    guard,
    as: "group",
    attempt: ({ read }, scene) => read(toPath(scene)),
    succeeded: tellsSecret,
    without: noGuard,
  }),
);

export const toolAttacks: ToolAttack[] = [
  ...readings,
  ...["config.json", "auth.json", "state/mom.db"].map(
    (file): ToolAttack => ({
      name: `read: ${file} inside a root`,
      guard,
      as: "owner",
      attempt: ({ read }) => read(file),
      succeeded: tellsSecret,
      without: noGuard,
    }),
  ),
  {
    name: "ls: another channel's folder",
    guard,
    as: "group",
    attempt: ({ ls }) => ls("way"),
    succeeded: (answer) => answer.includes("log.jsonl"),
    without: noGuard,
  },
  {
    name: "ls: what is hidden inside a root",
    guard,
    as: "owner",
    attempt: ({ ls }) => ls("."),
    succeeded: (answer) => answer.includes("auth.json"),
    without: noGuard,
  },
  {
    name: "find: files of another channel",
    guard,
    as: "group",
    attempt: ({ find }) => find("../C2"),
    succeeded: (answer) => answer.includes("log.jsonl"),
    without: neither,
  },
  {
    name: "grep: words of another channel",
    guard,
    as: "group",
    attempt: ({ grep }, { otherDir }) => grep("secret-.*", otherDir),
    succeeded: tellsSecret,
    without: neither,
  },
  {
    name: "grep: words behind links and hard links",
    guard: "links are not followed, hard links are covered and refused",
    as: "group",
    attempt: ({ grep }) => grep("secret-.*", "."),
    succeeded: tellsSecret,
    without: { ...noGuard, scope: (scope) => ({ ...scope, isShared: false }) },
  },
  {
    name: "grep: what is hidden inside a root",
    guard: "hidden files and folders are covered",
    as: "owner",
    attempt: async ({ grep }) =>
      (await grep("secret-.*", "."))
        .split("\n")
        .filter((line) => /^(auth|config|state)/.test(line))
        .join(),
    succeeded: tellsSecret,
    without: { ...noGuard, scope: (scope) => ({ ...scope, hidden: [] }) },
  },
  {
    name: "edit: another channel's log",
    guard,
    as: "group",
    attempt: ({ edit }, { secret }) => edit("../C2/log.jsonl", secret),
    succeeded: async (_answer, { otherDir }) =>
      (await readFile(join(otherDir, "log.jsonl"), "utf8")).includes("changed"),
    without: noGuard,
  },
  {
    name: "edit: the own record",
    guard: "records are sealed",
    as: "group",
    attempt: ({ edit }) => edit("log.jsonl", "what was said"),
    succeeded: async (_answer, { channelDir }) =>
      (await readFile(join(channelDir, "log.jsonl"), "utf8")).includes("changed"),
    without: noGuard,
  },
  ...(["write", "patch"] as const).flatMap((tool): ToolAttack[] => [
    {
      name: `${tool}: a file in another channel, through a link`,
      guard,
      as: "group",
      attempt: (tools) => tools[tool]("way/new.txt"),
      succeeded: (_answer, { otherDir }) => hasChanged(join(otherDir, "new.txt")),
      without: noGuard,
    },
    {
      name: `${tool}: a skill, which may only be read`,
      guard: "read-only folders are sealed",
      as: "group",
      attempt: (tools, { skillsDir }) => tools[tool](`${skillsDir}/new.md`),
      succeeded: (_answer, { skillsDir }) => hasChanged(join(skillsDir, "new.md")),
      without: noGuard,
    },
  ]),
];

const hasChanged = (path: string) =>
  readFile(path, "utf8").then(
    (text) => text.includes("changed"),
    () => false,
  );
