/** Where to look before answering about the past, and where lasting things are kept. */
import { toPathText } from "../plain-line.ts";
import { hasTool, type PromptFacts } from "../prompt-facts.ts";

const keep = "When somebody asks you to remember something, or a lasting fact comes up, add a short line there.";

export function memoryRecall(facts: PromptFacts): string | undefined {
  const lines: string[] = [];
  const searchTools = ["memory_search", "memory_get"].filter((name) => hasTool(facts, name));
  if (searchTools.length > 0) {
    lines.push(
      `Before you answer about earlier talks, decisions, people, dates or to-dos, look with ${searchTools.join(", then ")}. If nothing is found, say that you looked.`,
    );
  }
  const files = (facts.bootstrapFiles ?? []).map(({ name }) => name).filter((name) => /(^|\/)MEMORY\.md$/.test(name));
  const canWrite = hasTool(facts, "edit", "write");
  if (files.length > 0) {
    lines.push(
      `What should be remembered for good is in ${files.map(toPathText).join(" and ")}, included below. ${canWrite ? keep : "It cannot be changed from this session."}`,
    );
  } else if (canWrite && facts.session.type === "main") {
    lines.push(`What should be remembered for good belongs into MEMORY.md in the workspace. ${keep}`);
  }
  if (searchTools.length === 0 && facts.session.type === "main" && hasTool(facts, "grep")) {
    lines.push(
      "Notes of earlier days are in memory/ of the workspace, one file a day; search there when asked about them.",
    );
  }
  return lines.join("\n") || undefined;
}
