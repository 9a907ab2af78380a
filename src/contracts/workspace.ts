/**
 * What people write in Markdown for the agent: bootstrap files, skills, prompt templates. All of it lies in folders that
 * the agent can write too, so it may inform a model and never decide what the host does.
 */
import type { SessionType } from "./session.ts";

/** A file of spec 3.4 as it goes into the prompt. */
export interface BootstrapFile {
  /** `SOUL.md`, or a path relative to the workspace for a channel's own `MEMORY.md` and for files of parent folders. */
  name: string;
  /** Cut to the limit, with a marker in between that says how much is gone. Never empty. */
  text: string;
  /** Characters of the whole file. */
  totalChars: number;
}

export type SkillSource = "channel" | "workspace" | "managed" | "bundled" | "extra" | "user";

export interface Skill {
  name: string;
  description: string;
  /** Of SKILL.md (or a root folder's `name.md`): absolute. What the prompt's index names and `read` takes. */
  path: string;
  source: SkillSource;
  /** False: not in the prompt's index, only through `/skill:name`. */
  isModelInvocable: boolean;
  /** False: `/skill:name` refuses. */
  isUserInvocable: boolean;
  tags: string[];
  /** Its body stays in the context once loaded. */
  isPinned: boolean;
  emoji?: string;
  homepage?: string;
  /** Another name that it may be denied by. */
  skillKey?: string;
  /** The environment variable that has its key. */
  primaryEnv?: string;
  /** What it needs and this machine lacks. Not empty: it is not offered. */
  missing: SkillNeed[];
  /** What the scan of its content found; shown, never acted upon by itself. */
  warnings: string[];
}

export interface SkillNeed {
  /** `program ffmpeg`, `environment variable X_KEY`, `setting a.b`, `macOS`. */
  what: string;
  /** How to get it, where the skill says so. */
  install?: string;
}

/** A file or folder that is no usable skill, or hides behind another of the same name. */
export interface SkillDiagnostic {
  path: string;
  level: "warning" | "error";
  message: string;
}

export interface SkillSet {
  /** One per name, the first place wins, in the order of names. */
  skills: Skill[];
  diagnostics: SkillDiagnostic[];
}

export interface PromptTemplate {
  name: string;
  /** From its frontmatter, or its first line. */
  description: string;
  argumentHint?: string;
  path: string;
}

/** What a `/name args` or `/skill:name args` stands for. */
export type ExpandedPrompt =
  | { type: "template"; template: PromptTemplate; text: string }
  | { type: "skill"; skill: Skill; body: string; args: string }
  /** It names a skill or template that cannot be used; the person is told why. */
  | { type: "refused"; message: string };

/** One agent's workspace. Everything is read when asked and kept while the files do not change. Never throws for what a file contains. */
export interface Workspace {
  /**
   * The files that a session of this type is shown, in the order of spec 3.4, absent and empty ones left out.
   * `channelFolder`: relative to the workspace. `maxChars`: per file.
   */
  bootstrapFiles(scope: {
    sessionType: SessionType;
    channelFolder: string;
    maxChars: number;
  }): Promise<BootstrapFile[]>;
  /** `SYSTEM.md` replaces the base of the prompt, `APPEND_SYSTEM.md` is added at the end. */
  promptOverrides(): Promise<{ system?: string; append?: string }>;
  skills(channelFolder?: string): Promise<SkillSet>;
  templates(): Promise<PromptTemplate[]>;
  /** Undefined: the text calls neither a template nor a skill. */
  expand(text: string, channelFolder?: string): Promise<ExpandedPrompt | undefined>;
  /** Is the first-run ritual still to be done? */
  isFirstRun(): Promise<boolean>;
  /** The ritual is over: BOOTSTRAP.md goes. */
  endFirstRun(): Promise<void>;
}
