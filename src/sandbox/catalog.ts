/** Finds the programs that executors start by bare name. Loaded when an executor is made, not before. */
import { ToolError } from "../base/errors.ts";

/** Absolute paths of programs that mom brings along. */
export interface Programs {
  /** ripgrep. */
  rg: string;
}

export async function loadPrograms(): Promise<Programs> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return { rg: rgPath };
  } catch (cause) {
    throw new ToolError("PROGRAM_MISSING", "ripgrep, which find and grep need, is not installed for this platform", {
      hint: "Install mom again without --omit=optional, so that npm adds the ripgrep package of this platform.",
      cause,
    });
  }
}
