/**
 * Does the coding-agent read what mom writes, and mom what it writes? By hand, against any release:
 *
 *   npm run compat -- <folder that pi-coding-agent is installed in> [--fixtures <folder to write its sessions to>]
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CodingAgent, loadCodingAgent } from "./coding-agent.ts";
import { readAsCodingAgent, readAsMom } from "./compare-context.ts";
import { answer, text, user } from "./conversation.ts";
import { buildMomTranscript } from "./mom-transcript.ts";
import { writeFixtures } from "./write-fixtures.ts";

async function checkMomTranscript({ SessionManager }: CodingAgent, dir: string): Promise<string> {
  const path = join(dir, "context.jsonl");
  const written = buildMomTranscript();
  await writeFile(path, written);
  const session = SessionManager.open(path);
  const readsEdits = typeof session.appendContextEdit === "function";
  const asMom = (jsonl: string) => readAsMom(jsonl, ({ type }) => !readsEdits && type === "context_edit");
  assert.deepEqual(readAsCodingAgent(session.buildSessionContext().messages), asMom(written), "a different context");
  assert.equal(session.getEntries().length, written.trimEnd().split("\n").length - 1, "entries were lost");

  session.appendMessage(user("[ann]: said in the coding-agent"));
  session.appendMessage(answer(text("Heard.")));
  const continued = await readFile(path, "utf8");
  assert.ok(continued.startsWith(written), "the file was rewritten");
  const context = readAsCodingAgent(session.buildSessionContext().messages);
  assert.deepEqual(asMom(continued), context, "a different context after it went on there");
  assert.equal(asMom(continued).length, asMom(written).length + 2);
  return readsEdits ? "same context" : "same context; this release reads no context edits and shows what they hide";
}

async function checkItsTranscripts(agent: CodingAgent, outDir: string): Promise<string> {
  const names = await writeFixtures(agent, outDir);
  for (const name of names) {
    const written = await readFile(join(outDir, `${name}.jsonl`), "utf8");
    const { messages } = JSON.parse(await readFile(join(outDir, `${name}.expected.json`), "utf8"));
    assert.deepEqual(readAsMom(written), readAsCodingAgent(messages), `${name}: a different context`);
  }
  return `same context, ${names.length} sessions`;
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { fixtures: { type: "string" } } });
const [installed] = positionals;
if (installed === undefined) throw new Error("Name the folder that pi-coding-agent is installed in.");
const agent = await loadCodingAgent(installed);
const dir = await mkdtemp(join(tmpdir(), "mom-compat-"));
try {
  console.log(`pi-coding-agent ${agent.version}`);
  console.log(`  mom's transcript there: ${await checkMomTranscript(agent, dir)}`);
  console.log(`  its transcripts here: ${await checkItsTranscripts(agent, values.fixtures ?? dir)}`);
} finally {
  await rm(dir, { recursive: true, force: true });
}
