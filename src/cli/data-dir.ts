/** Which data directory a command means, and whether there is one. Commands that only read never make one. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { StoreError } from "../base/errors.ts";
import type { CliIo } from "./io.ts";

/** The option as every command declares it: `.option(...dataOption)`. */
export const dataOption = ["--data <dir>", "the data directory (default: $MOM_DATA, else ./data)"] as const;

export function pickDataDir({ cwd, env }: Pick<CliIo, "cwd" | "env">, given: string | undefined): string {
  return resolve(cwd, given ?? (env["MOM_DATA"] || "data"));
}

/** The same for commands that need an existing one. Throws `DATA_DIR_MISSING`. */
export async function findDataDir(io: Pick<CliIo, "cwd" | "env">, given: string | undefined): Promise<string> {
  const dir = pickDataDir(io, given);
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory()) return dir;
  throw new StoreError("DATA_DIR_MISSING", found ? `${dir} is not a folder.` : `There is no data directory ${dir}.`, {
    hint: `Name it with --data or in MOM_DATA; \`mom ${dir}\` makes a new one.`,
  });
}
