/**
 * The entry: `mom …`. Turns on the compile cache before anything is loaded, answers `--version` at once, and hands everything
 * else to the program. The only file that runs by being imported.
 */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CliIo } from "./io.ts";
import { version } from "./version.ts";

const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) process.stdout.write(`${version}\n`);
else await main();

async function main(): Promise<void> {
  startCompileCache();
  silenceSdks();
  silenceDeprecations();
  endWithTheReader();
  endWithTheLauncher();
  const io = buildIo();
  const [{ runProgram }, { commandCatalog }, { reportError }] = await Promise.all([
    import("./program.ts"),
    import("./catalog.ts"),
    import("./report-error.ts"),
  ]);
  process.on("uncaughtException", (error) => {
    // A command that runs for long installs its own, which logs and stops in order.
    if (process.listenerCount("uncaughtException") === 1) process.exit(reportError(error, io));
  });
  const code = await runProgram(args, { io, version, commands: commandCatalog });
  if (code !== 0) process.exitCode = code;
}

/** In the user's own cache folder: compiled code in a folder that others can write would be code of theirs. */
function startCompileCache(): void {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (NODE_COMPILE_CACHE) return;
  enableCompileCache(join(XDG_CACHE_HOME || join(homedir(), ".cache"), "mom", "compiled"));
}

/** The model SDKs would print what they could not read, keys and escapes included, past our log and its redaction. */
function silenceSdks(): void {
  process.env["OPENAI_LOG"] = "off";
  process.env["ANTHROPIC_LOG"] = "off";
}

/** What Node says of the age of packages inside the bundle is for whoever bundles it. `--debug` shows it all the same. */
function silenceDeprecations(): void {
  process.noDeprecation = !args.includes("--debug");
}

/** `mom sessions list | head -1` ends quietly; a log that nobody reads stops nothing. */
function endWithTheReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    // The terminal is gone; the hang-up signal that comes with it stops mom in order.
    if (error.code !== "EIO") throw error;
  });
  process.stderr.on("error", () => undefined);
}

/** Under an older Node, bin/mom.js starts this process and holds a channel to it: if it is killed, so are we. */
function endWithTheLauncher(): void {
  if (!process.channel) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

/** A shell can stand in a folder that has been deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return homedir();
  }
}

function buildIo(): CliIo {
  return {
    // Opened when a command first asks for it: most never do.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: currentFolder(),
    exit: (code) => process.exit(code),
    restart,
  };
}

/** The same program, arguments and process id, from the beginning. */
function restart(): void {
  // Node calls execve experimental, on the terminal; there is nothing in that for who runs mom.
  process.removeAllListeners("warning");
  try {
    const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    process.execve?.(process.execPath, command, process.env as Record<string, string>);
  } catch {
    // Not on this system: whoever keeps mom running starts it again.
  }
  process.exit(0);
}
