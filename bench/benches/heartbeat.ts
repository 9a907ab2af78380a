/** What a heartbeat costs that finds nothing to report: everything that is sent to the model, prompt and tools included. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { connectClient } from "../connect-client.ts";
import { summarise } from "../figure.ts";
import { startProduct } from "../start-product.ts";

const charactersPerToken = 4;
const file = `# Keep an eye on

- Is the oven off?
- Has somebody written about the offers from the printers? Tell me at once, with the price.
- On Mondays: are there notes from last week that nobody has answered?
`;

export const heartbeatBench: Bench = {
  name: "heartbeat",
  summary: "tokens of a beat with nothing to report",
  needsBuild: true,
  async run(workshop) {
    const dataDir = await workshop.createDataDir(workshop.model.url, { gateway: { port: 0 } });
    await mkdir(join(dataDir, "workspace", "memory"), { recursive: true });
    await writeFile(join(dataDir, "workspace", "HEARTBEAT.md"), file);
    await writeFile(join(dataDir, "workspace", "memory", "2026-11-16.md"), "The printers call back on Thursday.\n");
    const product = await startProduct(workshop, dataDir);
    try {
      const token = (await readFile(join(dataDir, "state", "gateway-token"), "utf8")).trim();
      const beaten = Promise.withResolvers<void>();
      const talked = Promise.withResolvers<void>();
      const client = await connectClient({ product, token }, ({ event }) => {
        if (event === "heartbeat") beaten.resolve();
        if (event === "chat.end") talked.resolve();
      });
      client.follow("all");
      await client.call("chat.send", { message: "hello", idempotencyKey: "bench-hello" });
      await talked.promise;
      const before = await workshop.model.loadTally();
      await client.call("heartbeat.beat", { agentId: "main", idempotencyKey: "bench-beat" });
      await beaten.promise;
      const after = await workshop.model.loadTally();
      client.stop();
      if (after.requests !== before.requests + 1) throw new Error(`${after.requests - before.requests} requests`);
      const tokens = (after.bytes - before.bytes) / charactersPerToken;
      return [
        { name: "heartbeat, nothing to report", unit: "tokens", value: summarise([tokens]), target: { atMost: 2000 } },
      ];
    } finally {
      await product.stop();
    }
  },
};
