/** Starts the model of the benches (model-server.ts) and knows what mom has asked it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ModelStarted, ModelTally } from "./model-server.ts";

export interface BenchModel {
  /** Base URL of a model that answers in words. */
  url: string;
  /** Base URL of one that calls bash once before it answers. */
  toolUrl: string;
  /** Base URL of one that calls what the last message asks for (asked-call.ts). */
  askedUrl: string;
  /** The body of the newest request, as mom sent it. */
  loadLastRequest(): Promise<string>;
  /** Everything that was sent since it started, to whichever URL. */
  loadTally(): Promise<ModelTally>;
  stop(): Promise<void>;
}

export async function startModel(): Promise<BenchModel> {
  const child = fork(join(import.meta.dirname, "model-server.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [started] = (await once(child, "message")) as [ModelStarted];
  return {
    url: `${started.url}/v1`,
    toolUrl: `${started.url}/tool/v1`,
    askedUrl: `${started.url}/asked/v1`,
    loadLastRequest: async () => (await fetch(`${started.url}/last-request`)).text(),
    loadTally: async () => JSON.parse(await (await fetch(`${started.url}/tally`)).text()),
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
