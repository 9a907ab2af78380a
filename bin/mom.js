#!/usr/bin/env node
/*
 * Starts mom on a Node that can run it. Node 24 or newer loads the program right here; an older one starts it on the Node
 * that comes with mom as the npm package `node`. Old JavaScript on purpose, so that Node 14 can still read it, and CommonJS
 * (see package.json beside it), which old Nodes start sooner.
 */
// biome-ignore-start lint/style/useNodejsImportProtocol: the oldest Nodes that may read this do not know node: names
const fs = require("fs");
const path = require("path");

const oldestMajor = 24;
const home = path.dirname(__dirname);
const program = path.join(home, "dist", "main.js");
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  process.stdout.write(`${readManifest(path.join(home, "package.json")).version}\n`);
} else if (!fs.existsSync(program)) {
  fail(`${program} is missing.`, `In a clone, run \`npm ci\` (it builds) or \`npm run build\` in ${home}.`);
} else if (parseInt(process.versions.node, 10) >= oldestMajor) {
  restartSmall();
  import(require("url").pathToFileURL(program).href);
} else {
  startOnOwnNode();
}

/**
 * The heap settings of a process that stays up. V8 would let the young generation grow to 64 MiB and collect the old one
 * late: right for a batch job, wasteful for a program that waits. They can only be given to a process at its start.
 */
function heapOptions() {
  const endsSoon = [
    "agent",
    "send",
    "sessions",
    "logs",
    "doctor",
    "status",
    "models",
    "config",
    "migrate",
    "help",
    "gateway",
    "devices",
    "service",
    "update",
    "completion",
    "pair",
    "channels",
  ].concat(["auth", "skills", "prompt", "usage", "tools", "approvals"]);
  const first = args[0] || "-";
  return first[0] === "-" || endsSoon.indexOf(first) !== -1
    ? []
    : ["--max-semi-space-size=4", "--heap-growing-percent=20"];
}

/** Becomes the same process with these settings; comes back where that is not needed, or not to be had (Windows). */
function restartSmall() {
  const options = heapOptions().filter((option) => process.execArgv.indexOf(option) === -1);
  if (options.length === 0 || typeof process.execve !== "function") return;
  // Node calls execve experimental, on the terminal; there is nothing in that for who starts mom.
  process.removeAllListeners("warning");
  try {
    const command = [process.execPath].concat(process.execArgv, options, [__filename], args);
    process.execve(process.execPath, command, process.env);
  } catch (_notHere) {
    // Then without them.
  }
}

function readManifest(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

function startOnOwnNode() {
  const binary = findNode();
  if (binary) return runOn(binary);
  fail(
    `mom needs Node ${oldestMajor} or newer; this is ${process.version}, and the Node that comes with mom is not installed.`,
    `Run \`npm rebuild node\` in ${home} (an install with --ignore-scripts leaves it out), or install Node ${oldestMajor}.`,
  );
}

/** The binary of the npm package `node`, wherever npm put it for us; undefined if it is absent or too old itself. */
function findNode() {
  try {
    const manifest = require.resolve("node/package.json");
    const binary = path.join(path.dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
    return parseInt(readManifest(manifest).version, 10) >= oldestMajor && fs.existsSync(binary) ? binary : undefined;
  } catch (_notInstalled) {
    return undefined;
  }
}

/** Runs the program in our place: same terminal, signals passed on, same end. It sees by the channel when we are killed. */
function runOn(binary) {
  const child = require("child_process").spawn(binary, heapOptions().concat([program], args), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2"].forEach((signal) => {
    process.on(signal, () => {
      // A key on the terminal reaches the child by itself, and twice would mean "at once".
      const fromKeyboard = (signal === "SIGINT" || signal === "SIGQUIT") && process.stdin.isTTY;
      if (!fromKeyboard) child.kill(signal);
    });
  });
  child.on("error", (error) => {
    fail(`${binary} could not be started: ${error.message}`, `Run \`npm rebuild node\` in ${home}.`);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Only reached where the signal does not end us, such as one that Node keeps for itself.
    setTimeout(() => process.exit(128 + (require("os").constants.signals[signal] || 0)), 100);
  });
}

function fail(message, fix) {
  process.stderr.write(`mom: ${message}\n  fix: ${fix}\n`);
  process.exitCode = 1;
}
// biome-ignore-end lint/style/useNodejsImportProtocol: see above
