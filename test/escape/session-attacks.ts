/**
 * What a program of one session lays in the workspace to catch another session with it, or mom herself, who does more than
 * a program could. Each row names its guard and how to take exactly that guard out.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Operations } from "../../src/contracts/sandbox.ts";
import { isRoot, runShell, type Scene, type Weakening } from "./scene.ts";

export interface SessionAttack {
  name: string;
  guard: string;
  /** What the owner's program does first. */
  lay(scene: Scene): string;
  against: "group" | "other";
  /** What then happens in the other session; may reject. */
  attempt(operations: Operations, scene: Scene): Promise<string>;
  /** Did it get what it wanted? */
  succeeded(answer: string, scene: Scene): boolean | Promise<boolean>;
  /** Other guards in the way of the same attack, taken out for both runs. */
  given?: Weakening;
  without: Weakening;
  /** Holds only where mom is root. */
  needsRoot?: true;
}

/** As it is where the owner's programs may write to other chats' folders. */
export const writableChats: Weakening = { scope: (scope) => ({ ...scope, readOnlyInside: [] }) };
const trustsAll: Weakening = { scope: (scope) => ({ ...scope, agentFolders: [] }) };

const guard = "links that programs may have laid are not followed to a session's folders";
const tellsSecret = (answer: string, { secret }: Scene) => answer.includes(secret);
const readByProgram = async (operations: Operations, path: string) => {
  const { stdout, stderr } = await runShell(operations, `cat ${path}`);
  return stdout + stderr;
};
const readByTool = async (operations: Operations, path: string) =>
  Buffer.from(await operations.readFile(path)).toString();

/** A new link to a folder of the host where a folder of the workspace was. */
const replace = (folder: string, { vaultDir }: Scene) => `mv ${folder} ${folder}-was && ln -s ${vaultDir} ${folder}`;

const readings = Object.entries({ "a program": readByProgram, "the file tools": readByTool }).flatMap(
  ([who, read]): SessionAttack[] => [
    {
      name: `${who}: a link where the skills were`,
      guard,
      against: "group",
      lay: (scene) => replace("skills", scene),
      attempt: (operations, { skillsDir }) => read(operations, join(skillsDir, "key")),
      succeeded: tellsSecret,
      without: trustsAll,
    },
    {
      name: `${who}: a link where the chat's folder was`,
      guard,
      against: "other",
      lay: (scene) => replace("channels/slack/C2", scene),
      attempt: (operations) => read(operations, "key"),
      succeeded: tellsSecret,
      given: writableChats,
      without: trustsAll,
    },
  ],
);

const attacks: SessionAttack[] = [
  ...readings,
  {
    name: "mom: gives away what is behind a link where the chat's folder was",
    guard,
    against: "other",
    lay: (scene) => replace("channels/slack/C2", scene),
    attempt: (operations) => readByProgram(operations, "key"),
    succeeded: async (_answer, { vaultDir }) => (await stat(join(vaultDir, "key"))).uid !== 0,
    given: writableChats,
    without: trustsAll,
    needsRoot: true,
  },
];

export const sessionAttacks = attacks.filter(({ needsRoot }) => isRoot || !needsRoot);

/** Goes on swapping a folder and a link to another one, each time in one step, until it is ended. */
export function buildSwapper(folder: string, target: string): string {
  const exchange = process.arch === "arm64" ? 276 : 316;
  // Beside it: another folder may be another mount, and nothing is swapped across mounts.
  return `ln -s ${target} ${folder}-link && perl -e '
    my ($a, $b) = ("${folder}", "${folder}-link");
    while (1) { syscall(${exchange}, -100, $a, -100, $b, 2); select(undef, undef, undef, rand() * 0.006) }'`;
}
