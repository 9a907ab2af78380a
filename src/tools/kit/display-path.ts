/** Paths as the model should name them: relative to the working folder where they lie in it. */
import { isAbsolute, relative } from "node:path";
import type { Operations } from "../../contracts/sandbox.ts";

/** `real` has its links followed, so the working folder's are followed too before comparing. */
export async function toDisplayPath(operations: Operations, real: string): Promise<string> {
  const way = relative(await operations.resolve(operations.cwd), real);
  if (way === "") return ".";
  return way === ".." || way.startsWith("../") || isAbsolute(way) ? real : way;
}
