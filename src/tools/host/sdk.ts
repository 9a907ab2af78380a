/**
 * What the author of a custom tool writes against (spec 5.7). A tool is the default export of `data/tools/<name>/index.ts`,
 * or what a factory there gives; it runs on the host, with mom's own rights, as the operator's own code.
 */
import type { Static, TSchema } from "typebox";

export interface MomCustomTool<Params extends TSchema = TSchema> {
  /** Lower-case letters, digits, `_` and `-`; unlike any tool of mom's own. */
  name: string;
  /** For the model: what it does, in a sentence or two. */
  description: string;
  /** A TypeBox object, or any JSON Schema of an object. Arguments are checked against it before `execute`. */
  parameters: Params;
  /** `read` may be run again after a crash; the others are reported as "may have run". Absent: `external`. */
  effect?: "read" | "write" | "external";
  /** A person must allow every call. */
  approve?: boolean;
  /** Acts on the world: with text from outside in the conversation, a person must allow the call. Absent: it does not. */
  outward?: boolean;
  /**
   * Its answers bring text from outside the house: mail, pages, what strangers wrote. They are marked so for the model, and
   * from then on calls that act on the world need an approval. Absent: they do. `false`: every word is the house's own.
   */
  outside?: boolean;
  /**
   * Does it. The answer is a text, or `{ content, details }`, or anything that JSON can hold. Throws to fail: the message
   * goes to the model. Should end soon after `signal` aborts.
   */
  execute(toolCallId: string, params: Static<Params>, signal: AbortSignal): Promise<unknown> | unknown;
  /** Once, after loading and before the first call. */
  onStart?(): Promise<void> | void;
  /** Once, before it is replaced or mom ends. */
  onStop?(): Promise<void> | void;
}

/** What a factory gets. */
export interface ToolAPI {
  /** Absolute. */
  dataDir: string;
  /** Runs a program on the host, without a shell, in a cleared environment. `cwd` defaults to the data directory. */
  exec(
    program: string,
    args?: readonly string[],
    options?: { cwd?: string; env?: Record<string, string>; input?: string; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<{ code: number | null; stdout: string; stderr: string; killed: boolean }>;
  /** Text of a regular file below the data directory, 10 MB at most; configuration, credentials and state are closed. */
  readFile(path: string): Promise<string>;
  /** Replaces the file in one step; missing folders are made. */
  writeFile(path: string, data: string): Promise<void>;
}

export type CustomToolFactory = (
  api: ToolAPI,
) => MomCustomTool | MomCustomTool[] | Promise<MomCustomTool | MomCustomTool[]>;
