/** Starts the model of the benches (model-server.ts) and knows what mom last asked it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ModelStarted } from "./model-server.ts";

export interface BenchModel {
  /** Base URL of a model that answers in words. */
  url: string;
  /** Base URL of one that calls bash once before it answers. */
  toolUrl: string;
  /** The body of the newest request, as mom sent it. */
  loadLastRequest(): Promise<string>;
  stop(): Promise<void>;
}

export async function startModel(): Promise<BenchModel> {
  const child = fork(join(import.meta.dirname, "model-server.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [started] = (await once(child, "message")) as [ModelStarted];
  return {
    url: `${started.url}/v1`,
    toolUrl: `${started.url}/tool/v1`,
    loadLastRequest: async () => (await fetch(`${started.url}/last-request`)).text(),
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
