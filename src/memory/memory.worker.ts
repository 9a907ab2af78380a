/** The memory's thread: index files, text search and vectors. Started by `memory-work.ts`. */
import { createSystemClock } from "../base/clock.ts";
import { serveWorker } from "../base/serve-worker.ts";
import { createEngine } from "./engine/create-engine.ts";
import type { MemoryJob, MemoryReply } from "./memory-job.ts";

const engine = createEngine({ clock: createSystemClock() });
serveWorker((job: MemoryJob): Promise<MemoryReply> => engine.run(job));
