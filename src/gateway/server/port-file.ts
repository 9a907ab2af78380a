/** `state/gateway-port`: the port that mom took when none was asked for, so that she has the same again. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";

export interface PortFile {
  read(): Promise<number | undefined>;
  write(port: number): Promise<void>;
}

export function createPortFile(stateDir: string): PortFile {
  const path = join(stateDir, "gateway-port");
  return {
    async read() {
      const text = await readFile(path, "utf8").catch(() => "");
      const port = /^\d{1,5}\n?$/.test(text) ? Number(text) : 0;
      return port > 0 && port < 65_536 ? port : undefined;
    },
    write: (port) => writeFileAtomic(path, `${port}\n`, { mode: 0o600 }),
  };
}
