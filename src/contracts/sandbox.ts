/**
 * Where tools touch the machine. One executor per way of confinement (host, bwrap, docker), one contract suite over all.
 * Tools get `Operations`, never `fs` or `child_process`.
 */
export interface ExecRequest {
  /** Program and arguments, no shell in between; or one line for `sh`. A bare program name is looked up by the executor. */
  command: { argv: string[] } | { shell: string };
  /** Defaults to the scope's folder. Checked like every other path. */
  cwd?: string;
  /** Added to the cleared base environment. */
  env?: Record<string, string>;
  /** Given to the program's standard input, which is then closed. Absent: empty. */
  input?: string;
  /** The whole process tree is ended when it runs out. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Output as it comes, standard output and error interleaved. */
  onOutput?(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
  /** The most that is kept per stream for the result; more is still passed to `onOutput`. */
  maxOutputBytes: number;
}

export interface ExecResult {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal?: string;
  /** Last `maxOutputBytes` of each. */
  stdout: string;
  stderr: string;
  /** `limit`: it took more memory or disk than it may have; `detail` says what. */
  ended: "exit" | "timeout" | "aborted" | "limit";
  detail?: string;
  durationMs: number;
}

/** A program that goes on beside the call that started it. */
export interface StartRequest {
  command: ExecRequest["command"];
  cwd?: string;
  env?: Record<string, string>;
  /** The whole process tree is ended when it runs out. */
  timeoutMs: number;
  /** Ends it like `kill`. */
  signal: AbortSignal;
  onOutput(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
}

export interface RunningProgram {
  /** Resolves when the program has taken it, or has ended. */
  write(text: string): Promise<void>;
  closeInput(): void;
  /** Ends the whole process tree; resolves when it is gone. May be called twice, and after the end. */
  kill(): Promise<void>;
  /** When all of it is over. Its `stdout` and `stderr` are empty: the output went to `onOutput`. Never rejects. */
  readonly ended: Promise<ExecResult>;
}

export interface FileStat {
  type: "file" | "folder" | "other";
  /** Bytes. */
  size: number;
  modifiedAt: number;
}

export interface FolderItem {
  name: string;
  type: "file" | "folder" | "link" | "other";
}

/**
 * Files and programs as one session may see them. Paths are relative to `cwd` or absolute; symbolic links are resolved
 * first, and whatever lies outside the allowed roots, or is host-only, is refused with a `ToolError` that names the path.
 */
export interface Operations {
  /** Absolute; what relative paths are relative to. */
  readonly cwd: string;
  /** Resolves and checks a path, existing or to be created. Everything else here does so by itself. */
  resolve(path: string): Promise<string>;
  /** Real paths that a program which a tool starts must be told to leave out. Empty where the sandbox hides them itself. */
  hidden(): Promise<string[]>;
  /** Runs a program to its end. Does not throw for a non-zero exit, a time-out or an abort; throws when it cannot be started. */
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Starts a program and comes back at once; standard input stays open. Throws when it cannot be started. */
  start(request: StartRequest): Promise<RunningProgram>;
  /** Whole file, or at most `maxBytes` from `offset`. */
  readFile(path: string, range?: { offset: number; maxBytes: number }): Promise<Uint8Array>;
  /** Replaces the file in one step, keeping its mode; missing folders are made. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  /** Takes a regular file away; sealed ones are refused like a write. Throws when there is none. */
  removeFile(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  /** Undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  readdir(path: string): Promise<FolderItem[]>;
  /** May it be read (or written)? Answers, does not throw. */
  access(path: string, want: "read" | "write"): Promise<boolean>;
  /** Files below `root` that match `pattern`, ignore files respected, relative to `root`, at most `limit`. */
  glob(pattern: string, options: { root: string; limit: number; signal: AbortSignal }): Promise<string[]>;
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp` by content; undefined for anything else. */
  imageType(path: string): Promise<string | undefined>;
}

export interface ExecutorScope {
  /** Absolute host path of the working folder. */
  cwd: string;
  /** Absolute host paths that may be read and written. */
  roots: string[];
  /** Absolute host paths that may be read. Absent: none beside the roots. */
  readOnly?: string[];
  /**
   * Absolute host paths inside roots where confined programs may only read, but for roots that lie deeper. File tools are
   * not kept from writing there: `isSealed` is for them. Absent: none.
   */
  readOnlyInside?: string[];
  /**
   * Absolute host paths of folders that programs of some session can write. What lies strictly below them is not trusted: a
   * root or read-only folder that is reached through a link in there is left out, for the link may have been laid by a
   * program; and if `cwd` is gone with it, operations throw `FOLDER_LINKED`. Absent: none.
   */
  agentFolders?: string[];
  /** May programs use the network? Absent: no. Where the executor cannot keep them from it, it says so in `check`. */
  hasNetwork?: boolean;
  /** Somebody else than the owner asks: a file with several names (hard links) is refused, for its other name may be closed to them. */
  isShared?: boolean;
  /** Absolute host paths that are refused even inside a root (config, credentials, state). */
  hidden: string[];
  /** Real host paths that may be read but not written: records that have one writer. Absent: none. */
  isSealed?(path: string): boolean;
}

export interface Executor {
  readonly mode: "host" | "bwrap" | "docker";
  /** Can it run here? `detail` says what it is or what is missing, `hint` how to get it. */
  check(): Promise<{
    ok: boolean;
    detail: string;
    hint?: string /** No programs, but files can be used. */;
    filesOnly?: true;
  }>;
  open(scope: ExecutorScope): Operations;
  /** Ends everything that still runs. */
  close(): Promise<void>;
}
