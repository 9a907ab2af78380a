/**
 * `node test/protocol/run.ts ws://127.0.0.1:18800/ws <token> [calls.json]`: the suite against any server. Without the file of calls
 * (`{ "<method>": { params } }`, one for each method) it only looks.
 */
import { readFile } from "node:fs/promises";
import { buildSuite } from "./suite.ts";

const [url, token, file] = process.argv.slice(2);
if (url === undefined || token === undefined) throw new Error("An address and a token are needed.");
const calls = file === undefined ? undefined : JSON.parse(await readFile(file, "utf8"));
for (const { name, run } of await buildSuite({ url, token, ...(calls && { calls }) })) {
  try {
    await run();
    process.stdout.write(`ok      ${name}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`FAILED  ${name}\n${error instanceof Error ? error.stack : String(error)}\n`);
  }
}
