/** The built program, started as people start it (`mom <data-dir>`) and spoken to through its piped terminal. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Cost } from "./figure.ts";
import { canReadProcesses, readCpuMs, readTreeMiB } from "./process-usage.ts";
import { replyText } from "./reply-text.ts";
import type { Workshop } from "./workshop.ts";

export interface Product {
  /** From the start of the process to its line "mom ready". */
  ready: Cost;
  /** Where its gateway listens, as that line says. */
  url: string;
  /** One turn: from the line that goes in to the reply that comes out. Only one at a time. */
  say(text: string): Promise<Cost>;
  /** Resident memory of the process and its children. Undefined where it cannot be read. */
  readMemoryMiB(): number | undefined;
  /** CPU time of the process so far. Undefined where it cannot be read. */
  readCpuMs(): number | undefined;
  stop(): Promise<void>;
}

/** The command line of the built program. */
export const momCommand = (root: string): string[] => [process.execPath, join(root, "bin", "mom.js")];

const readyLine = /^mom ready (\S+)$/m;
const giveUpMs = 30_000;

export async function startProduct({ root, env }: Workshop, dataDir: string): Promise<Product> {
  const [program = "", ...args] = momCommand(root);
  const start = performance.now();
  const child = spawn(program, [...args, dataDir], { env, cwd: dataDir, stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const readCpu = () => (canReadProcesses ? readCpuMs(pid) : undefined);

  let heard = "";
  let errors = "";
  let onOutput = () => {};
  child.stdout.on("data", (chunk) => {
    heard += chunk;
    onOutput();
  });
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-10_000);
  });
  /** Waits for the program to say it; what was said so far is then forgotten. */
  const hear = (what: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`mom ${reason} before it said ${what}: ${errors || heard}`));
      const timer = setTimeout(fail, giveUpMs, "took too long");
      const onExit = () => fail("ended");
      child.once("exit", onExit);
      onOutput = () => {
        const [, found = ""] = what.exec(heard) ?? [];
        if (!what.test(heard)) return;
        heard = "";
        onOutput = () => {};
        clearTimeout(timer);
        child.off("exit", onExit);
        resolve(found);
      };
      onOutput();
    });

  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  const url = await hear(readyLine).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url,
    ready: { wallMs: performance.now() - start, cpuMs: readCpu() },
    async say(text) {
      const cpuStart = readCpu();
      const sentAt = performance.now();
      child.stdin.write(`${text}\n`);
      await hear(new RegExp(replyText));
      const wallMs = performance.now() - sentAt;
      const cpuEnd = readCpu();
      return { wallMs, cpuMs: cpuStart !== undefined && cpuEnd !== undefined ? cpuEnd - cpuStart : undefined };
    },
    readCpuMs: readCpu,
    readMemoryMiB: () => (canReadProcesses ? readTreeMiB(pid) : undefined),
    stop,
  };
}
