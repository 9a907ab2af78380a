/** Where the model works: folders, documentation, the sandbox around it, and the files that it is shown. */
import { toLine, toPathText } from "../plain-line.ts";
import type { PromptFacts } from "../prompt-facts.ts";

/** The offline model finds the channel's folder by the words in front of it. */
export function workspace({ workspaceDir, workDir = workspaceDir, channelFolder }: PromptFacts): string {
  const isElsewhere = workDir !== workspaceDir;
  return [
    `Working folder: ${toPathText(workDir)}; relative paths start there.`,
    ...(isElsewhere ? [`Workspace, where MEMORY.md and the like are: ${toPathText(workspaceDir)}.`] : []),
    `Channel folder: ${toPathText(channelFolder)} (log.jsonl has everything that was said here, one JSON line a message; attachments/ has the files; scratch/ is for your own use; MEMORY.md, if there, is what to remember of this chat alone)`,
  ].join("\n");
}

export function documentation({ docsDir }: PromptFacts): string | undefined {
  if (!docsDir) return undefined;
  return `Your own documentation is in ${toPathText(docsDir)}. Look there before you answer about your settings, commands or behaviour.`;
}

export function sandbox({ sandbox }: PromptFacts): string | undefined {
  if (!sandbox) return undefined;
  const network = sandbox.hasNetwork === undefined ? "" : sandbox.hasNetwork ? ", with network" : ", without network";
  return `Programs run in a sandbox (${toLine(sandbox.mode, 64)}${network}); /tmp is empty at every command, scratch/ lasts. What it keeps from you is not to be had: say so, and do not try to get around it.`;
}

export function workspaceFiles({ bootstrapFiles = [], isFirstRun }: PromptFacts): string | undefined {
  if (bootstrapFiles.length === 0) return undefined;
  const isRitualDue = isFirstRun === true && bootstrapFiles.some(({ name }) => name === "BOOTSTRAP.md");
  return [
    "The files under Project context are included below as they are now; read one yourself only where it was shortened.",
    ...(isRitualDue ? ["This is the first run: begin with what BOOTSTRAP.md asks for."] : []),
  ].join("\n");
}
