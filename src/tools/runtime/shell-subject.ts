/** What a person is asked to allow when a command wants to run: all of it, in its folder, nothing added to its environment. */
import { toPrintable } from "../../base/printable.ts";
import type { ApprovalSubject } from "../../contracts/approval.ts";

/** `cwd`: a real path. It comes first in the text, for a command could end in words that look like it. */
export const buildShellSubject = (command: string, cwd: string): ApprovalSubject => ({
  tool: "bash",
  text: `In ${toPrintable(cwd)}:\n${command}`,
  exact: { argv: ["bash", "-c", command], cwd, env: {} },
});

/** Text given to a program that runs is as good as a command. `command` is the program's own. */
export const buildInputSubject = (
  run: { id: string; command: string; cwd: string },
  input: { text: string; end: boolean },
): ApprovalSubject => ({
  tool: "process",
  text: `In ${toPrintable(run.cwd)}, given to ${run.id} (${toPrintable(run.command)})${input.end ? ", the last of its input" : ""}:\n${input.text}`,
  exact: {
    argv: ["process", "write", run.id, run.command, input.text, ...(input.end ? ["end"] : [])],
    cwd: run.cwd,
    env: {},
  },
});
