/** Sessions written by the real coding-agent, and the context that it reads from them: test/fixtures/transcripts/. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodingAgent, SessionManager } from "./coding-agent.ts";
import { answer, call, result, text, thought, user } from "./conversation.ts";

const stories: Record<string, (session: SessionManager) => void> = {
  plain(session) {
    session.appendModelChange("anthropic", "model-1");
    session.appendThinkingLevelChange("low");
    session.appendMessage({ role: "system", content: "You are a program.", timestamp: 0 });
    const first = session.appendMessage(user("what is in a.md?"));
    session.appendMessage(answer(thought("I look."), text("One moment."), call("c1", "a.md"), call("c2", "b.md")));
    session.appendMessage(result("c1", "a is here"));
    session.appendMessage(result("c2", "b is here"));
    session.appendMessage(answer(text("a and b.")));
    session.appendCustomEntry("extension", { state: 1 });
    session.appendCustomMessageEntry("extension", "A note from an extension.", false);
    session.appendLabelChange(first, "start");
    session.appendSessionInfo("About files");
    session.appendMessage(user("thanks"));
  },
  compacted(session) {
    session.appendMessage(user("one"));
    session.appendMessage(answer(text("1")));
    const early = session.appendMessage(user("two"));
    session.appendMessage(answer(text("2")));
    session.appendCompaction("They counted to two.", early, 900);
    const kept = session.appendMessage(user("three"));
    const note = session.appendCustomMessageEntry("skill", "# How to count\nOne by one.", true);
    session.appendMessage(answer(call("c1", "numbers.md")));
    const long = session.appendMessage(result("c1", "3 ".repeat(200)));
    session.appendMessage(answer(text("3")));
    session.appendCompaction("They counted, and are at three.", kept, 1200);
    session.appendMessage(user("four"));
    session.appendContextEdit?.(note, null);
    session.appendContextEdit?.(long, { content: "(numbers)" });
    session.appendMessage(answer(text("4")));
  },
  branched(session) {
    session.appendMessage(user("a riddle, please"));
    const riddle = session.appendMessage(answer(text("What has keys and opens nothing?")));
    session.appendMessage(user("a door"));
    session.appendMessage(answer(text("No.")));
    session.branchWithSummary(riddle, "A door was guessed; it was wrong.");
    const guess = session.appendMessage(user("a piano"));
    session.appendMessage(answer(text("Yes, but say more.")));
    session.branch(guess);
    session.appendMessage(answer(text("Yes!")));
  },
};

/** Returns the names of the files. */
export async function writeFixtures({ SessionManager, version }: CodingAgent, outDir: string): Promise<string[]> {
  await mkdir(outDir, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), "mom-fixtures-"));
  try {
    const names: string[] = [];
    for (const [story, tell] of Object.entries(stories)) {
      const session = SessionManager.create("/workspace", join(work, story));
      tell(session);
      const file = session.getSessionFile();
      if (!file) throw new Error(`pi-coding-agent ${version} wrote no file for "${story}"`);
      const name = `coding-agent-${version}-${story}`;
      await writeFile(join(outDir, `${name}.jsonl`), await readFile(file));
      const { messages } = SessionManager.open(file).buildSessionContext();
      await writeFile(join(outDir, `${name}.expected.json`), `${JSON.stringify({ messages }, null, 2)}\n`);
      names.push(name);
    }
    return names;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
