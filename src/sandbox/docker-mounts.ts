/**
 * Which folders of the host a container gets, for one scope. What programs may see is planned as for bwrap, so that both
 * ways show the same; here it becomes mounts of a container, where `/workspace` is a second mount instead of a link.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { ToolError } from "../base/errors.ts";
import type { Mount } from "./bwrap-args.ts";
import { type MountRequest, planMounts } from "./bwrap-plan.ts";
import { isWithin } from "./real-path.ts";

export interface ContainerMount {
  source: string;
  target: string;
  isReadOnly: boolean;
}

export interface ContainerPlan {
  /** Outer folders before what lies in them. */
  mounts: ContainerMount[];
  hasNetwork: boolean;
  /** The same for scopes that can share a container. */
  key: string;
}

/** `emptyFolder`: on the host, readable by everybody; it lies over folders that are hidden. */
export async function planContainer(request: MountRequest, emptyFolder: string): Promise<ContainerPlan> {
  const { scope } = request;
  // Name servers are the engine's business.
  const planned = await planMounts({ ...request, scope: { ...scope, hasNetwork: false } });
  const own = planned.flatMap((mount) => toContainerMount(mount, emptyFolder));
  const second = planned.flatMap((mount) => (mount.type === "link" ? repeatAt(own, mount.target, mount.at) : []));
  const mounts = keepLast(dropNeedless([...own, ...second], emptyFolder));
  for (const { source, target } of mounts) ensureMountable(source, target);
  const hasNetwork = scope.hasNetwork === true;
  const identities = await Promise.all(mounts.flatMap(({ source, target }) => [source, target]).map(identify));
  const facts = JSON.stringify([mounts, identities, hasNetwork]);
  return { mounts, hasNetwork, key: createHash("sha256").update(facts).digest("hex") };
}

function toContainerMount(mount: Mount, emptyFolder: string): ContainerMount[] {
  if ("source" in mount) return [{ source: mount.source, target: mount.at, isReadOnly: mount.type === "readOnly" }];
  if (mount.type === "empty") return [{ source: emptyFolder, target: mount.at, isReadOnly: true }];
  return mount.type === "blocked" ? [{ source: "/dev/null", target: mount.at, isReadOnly: true }] : [];
}

/** All that is mounted at or below `from`, once more at `to`. */
function repeatAt(mounts: ContainerMount[], from: string, to: string): ContainerMount[] {
  const within = mounts.filter(({ target }) => isWithin(target, from));
  return within.map((mount) => ({ ...mount, target: to + mount.target.slice(from.length) }));
}

/**
 * In bwrap a cover lies over everything that came before; an engine would hang deeper mounts into it. And the system's
 * folders, where bwrap may have to cover something, are the image's own here.
 */
function dropNeedless(mounts: ContainerMount[], emptyFolder: string): ContainerMount[] {
  const isCover = ({ source }: ContainerMount) => source === emptyFolder || source === "/dev/null";
  const shown = mounts.filter((mount) => !isCover(mount));
  const covers = mounts.filter(
    (mount) => isCover(mount) && shown.some((folder) => isWithin(mount.target, folder.target)),
  );
  const isCovered = ({ target }: ContainerMount) =>
    covers.some((cover) => cover.target !== target && isWithin(target, cover.target));
  return [...shown, ...covers].filter((mount) => !isCovered(mount));
}

/** An engine refuses two mounts at one place, and hangs them in by depth itself: the last one is the one that counts. */
function keepLast(mounts: ContainerMount[]): ContainerMount[] {
  const byTarget = new Map(mounts.map((mount) => [mount.target, mount]));
  return [...byTarget.values()].toSorted((a, b) => a.target.length - b.target.length);
}

/** A name can be given to something else while a container lives, which goes on showing the old thing, or uncovers. */
async function identify(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  return info === undefined ? "" : `${info.dev}:${info.ino}`;
}

/** The engine's way to write a mount has no way to write these. */
function ensureMountable(...paths: string[]): void {
  const odd = paths.find((path) => /[,"\n\r]/.test(path));
  if (odd === undefined) return;
  throw new ToolError(
    "SANDBOX_UNAVAILABLE",
    `${JSON.stringify(odd)} cannot be mounted in a container because of its name`,
    { hint: "Rename it so that it has no comma, quotation mark or line break, or use sandbox.mode bwrap." },
  );
}
