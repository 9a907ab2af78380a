/**
 * Searches a tree by turns with ripgrep itself, with the grep tool on the host and with the grep tool in bwrap, so that
 * whatever else the machine does meets all three. Started by benches/grep.ts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import type { Operations } from "../src/contracts/sandbox.ts";
import { createGrepTool } from "../src/tools/fs/grep.ts";
import type { Cost } from "./figure.ts";
import { openOwnersPlace } from "./owners-place.ts";
import { rotate, timeWork } from "./time-work.ts";

export interface GrepOrders {
  dataDir: string;
  /** Below the workspace. */
  folder: string;
  word: string;
  /** Lines that have the word. */
  matches: number;
  rounds: number;
}

export interface GrepResult {
  /** `rg -n word folder`, its output read to the end. */
  ripgrep: Cost[];
  host: Cost[];
  /** Absent: no bwrap here. */
  bwrap?: Cost[];
}

/** The first ones fill the page cache and run uncompiled code. */
const skippedRounds = 3;
/** The tool shows so many. */
const mostShown = 100;

const orders: GrepOrders = JSON.parse(process.argv[2] ?? "{}");
const place = await openOwnersPlace(orders.dataDir);

/** Gives what it printed. */
async function runRipgrep(): Promise<Buffer> {
  const child = spawn(place.rg, ["-n", orders.word, orders.folder], {
    cwd: place.scope.cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([buffer(child.stdout), once(child, "close")]);
  return output;
}

/** Gives how many matches it shows. */
async function runTool(operations: Operations): Promise<number> {
  const params = { pattern: orders.word, path: orders.folder };
  const { details } = await createGrepTool(operations).execute("call", params, AbortSignal.timeout(60_000), () => {});
  return details.matches;
}

/** What was searched too little must not pass for fast. After the time is taken: counting lines takes time as well. */
function ensureFound(result: Buffer | number): void {
  const isTool = typeof result === "number";
  const found = isTool ? result : result.toString("latin1").split("\n").length - 1;
  const expected = isTool ? Math.min(orders.matches, mostShown) : orders.matches;
  if (found !== expected) throw new Error(`${found} lines with "${orders.word}" were found, not ${expected}`);
}

const { host, bwrap } = place;
const ways: { name: keyof GrepResult; search(): Promise<Buffer | number>; costs: Cost[] }[] = [
  { name: "ripgrep", search: runRipgrep, costs: [] },
  { name: "host", search: () => runTool(host), costs: [] },
  ...("missing" in bwrap ? [] : [{ name: "bwrap" as const, search: () => runTool(bwrap), costs: [] }]),
];
for (let round = 0; round < skippedRounds + orders.rounds; round++) {
  for (const { search, costs } of rotate(ways, round)) {
    const { cost, result } = await timeWork(search);
    ensureFound(result);
    if (round >= skippedRounds) costs.push(cost);
  }
}
await place.close();
process.send?.(Object.fromEntries(ways.map(({ name, costs }) => [name, costs])));
process.disconnect();
