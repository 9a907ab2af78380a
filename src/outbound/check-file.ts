/**
 * Looks at a file once more before a platform is given it. It lies where the agent can write: since it was posted somebody
 * may have put a link, a pipe or nothing in its place, and the host would follow it anywhere.
 */
import { lstat, realpath } from "node:fs/promises";
import { systemCode } from "../base/errors.ts";
import type { SendResult } from "../contracts/channel.ts";
import type { DeliveryBody } from "../contracts/store.ts";

type FileBody = Extract<DeliveryBody, { type: "file" }>;
type FileFault = Extract<SendResult, { type: "rejected" | "retry" }>;

/** What the file itself says; anything else (no handles left, a disk that does not answer) may be over in a while. */
const lastingCodes = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

/** Why it must not be sent; undefined when it may. Never rejects. */
export async function findFileFault({ path, filename, isReal }: FileBody): Promise<FileFault | undefined> {
  try {
    const real = await realpath(path);
    if (isReal && real !== path) return rejected(`${filename}, or a folder on the way to it, has become a link`);
    return (await lstat(real)).isFile() ? undefined : rejected(`${filename} is no regular file any more`);
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    const reason = `${filename} cannot be read (${code})`;
    return lastingCodes.includes(code) ? rejected(reason) : { type: "retry", reason };
  }
}

const rejected = (reason: string): FileFault => ({ type: "rejected", reason });
