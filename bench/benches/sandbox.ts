/** What a program costs before it does anything: one `echo` on the host, in bwrap and in a container, and bwrap's share of it. */
import { chown } from "node:fs/promises";
import type { Bench } from "../bench.ts";
import { compareRounds, type Figure, summariseCosts } from "../figure.ts";
import { type ChildUser, runChild } from "../run-child.ts";
import type { SandboxOrders, SandboxResult } from "../sandbox-child.ts";
import type { Workshop } from "../workshop.ts";

/** Nobody in particular. As root a sandbox is made in two steps, otherwise in one: root measures both ways. */
const ordinaryUser: ChildUser = { uid: 12_345, gid: 12_345 };

export const sandboxBench: Bench = {
  name: "sandbox",
  summary: "one echo on the host, in bwrap and in a container",
  async run(workshop) {
    const isRoot = process.getuid?.() === 0;
    const own = await runEchoes(workshop, { withContainer: true });
    const ofUser = isRoot ? await runEchoes(workshop, { withContainer: false }, ordinaryUser) : own;
    const { container } = own;
    return [
      ...(isRoot ? describeOverhead(own, "as root") : []),
      ...describeOverhead(ofUser, "as an ordinary user"),
      ...(container ? [{ name: `echo in a container (${container.engine})`, ...summariseCosts(container.costs) }] : []),
    ];
  },
};

async function runEchoes(
  workshop: Workshop,
  { withContainer }: Pick<SandboxOrders, "withContainer">,
  user?: ChildUser,
): Promise<SandboxResult> {
  const dataDir = await workshop.createFolder();
  if (user) await chown(dataDir, user.uid, user.gid);
  const orders: SandboxOrders = { dataDir, rounds: workshop.times(200, 30), withContainer };
  return runChild<SandboxResult>(await workshop.pathOfChild("sandbox-child"), orders, user);
}

function describeOverhead({ host, bwrap }: SandboxResult, who: string): Figure[] {
  return [
    {
      name: `bwrap over host, ${who}`,
      unit: "ms",
      value: compareRounds(bwrap, host, (inside, outside) => inside.wallMs - outside.wallMs),
      cpuMs: compareRounds(bwrap, host, (inside, outside) => (inside.cpuMs ?? 0) - (outside.cpuMs ?? 0)),
      target: { atMost: 15 },
    },
    { name: `echo in bwrap, ${who}`, ...summariseCosts(bwrap) },
    { name: `echo on the host, ${who}`, ...summariseCosts(host) },
  ];
}
