/** Runs a process of a bench to its end and gives what it sent back. Its orders are its first argument, as JSON. */
import { fork } from "node:child_process";
import { once } from "node:events";

/** Whom a child runs as. Absent: as the benches themselves. Only root may name another. */
export interface ChildUser {
  uid: number;
  gid: number;
}

/** Rejects when it ends without a result. `Result`: what the program at `path` sends. */
export async function runChild<Result>(path: string, orders: object = {}, user?: ChildUser): Promise<Result> {
  const child = fork(path, [JSON.stringify(orders)], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    ...user,
  });
  let result: Result | undefined;
  child.on("message", (message) => {
    result = message as Result;
  });
  const [code] = await once(child, "exit");
  if (result === undefined) throw new Error(`${path} ended without a result (exit code ${code})`);
  return result;
}
