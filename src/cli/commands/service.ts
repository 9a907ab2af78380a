/**
 * `mom service`: the file with which the system keeps mom running (systemd on Linux, launchd on macOS). It is written, shown
 * and removed here; the system is told by the person, with the commands that are printed.
 */
import { existsSync } from "node:fs";
import { lstat, mkdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { systemCode, UsageError } from "../../base/errors.ts";
import { findPackageDir } from "../../base/package-dir.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { type Holder, readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { note, printJson, printLines } from "../print.ts";
import { buildLaunchdPlan } from "../service/launchd.ts";
import { marker, type ServiceFacts, type ServicePlan } from "../service/service-plan.ts";
import { buildSystemdPlan } from "../service/systemd.ts";

interface Options {
  data?: string;
  name: string;
  for?: ServicePlan["manager"];
  json?: true;
}

export function buildServiceCommand(io: CliIo): Command {
  const service = new Command("service").description(
    "Writes the file with which the system keeps mom running: systemd on Linux, launchd on macOS. Nothing is started here.",
  );
  const add = (name: string, description: string) =>
    service
      .command(name)
      .description(description)
      .option("--name <name>", "of the service, where there are several moms", parseName, "mom")
      .addOption(new Option("--for <manager>", "instead of this system's own").choices(["systemd", "launchd"] as const))
      .option(...dataOption);
  add("install", "write the file, and print the commands that make it hold").action((options: Options) =>
    install(io, options),
  );
  add("uninstall", "remove the file, and print the commands that end the service").action((options: Options) =>
    uninstall(io, options),
  );
  add("status", "say whether the file is there and of this mom, and whether one runs")
    .option("--json", "print JSON")
    .action((options: Options) => showStatus(io, options));
  add("print", "print the file").action((options: Options) => void io.stdout.write(plan(io, options).text));
  return service;
}

async function install(io: CliIo, options: Options): Promise<void> {
  const { filePath, text, enable, notes } = plan(io, options);
  await refuseForeign(filePath);
  await mkdir(dirname(filePath), { recursive: true });
  await writeFileAtomic(filePath, text);
  printLines(io, [`wrote ${filePath}; now run:`, ...enable.map((command) => `  ${command}`), ...notes]);
  note(io, "keys that only this shell's environment has are not there for a service: `mom auth add` keeps them");
}

async function uninstall(io: CliIo, options: Options): Promise<void> {
  const { filePath, otherPaths, disable } = plan(io, options);
  const isThere = await refuseForeign(filePath);
  for (const path of [filePath, ...otherPaths]) await rm(path, { force: true });
  printLines(io, [
    isThere ? `removed ${filePath}; if it still runs:` : `there is no ${filePath}; if it still runs:`,
    ...disable.map((command) => `  ${command}`),
  ]);
}

async function showStatus(io: CliIo, options: Options): Promise<void> {
  const { manager, filePath, command, otherPaths } = plan(io, options);
  const kept = await readText(filePath);
  const [link] = otherPaths;
  const isEnabled = link === undefined ? undefined : await isLinked(link);
  const running: Holder | false = readHolderNow(pickDataDir(io, options.data)) ?? false;
  const file = judge(kept, command);
  if (options.json) return printJson(io, { manager, filePath, file, isEnabled, running });
  printLines(io, [
    `${filePath}: ${fileWords[file]}`,
    ...(isEnabled === undefined ? [] : [isEnabled ? "it is started with the account" : "it is not enabled"]),
    running
      ? `a mom runs on the data directory: process ${running.pid} on ${running.host}`
      : "no mom runs on the data directory",
  ]);
}

function judge(kept: string | undefined, command: string): keyof typeof fileWords {
  if (kept === undefined) return "missing";
  if (!kept.includes(marker)) return "foreign";
  return kept.includes(command) ? "current" : "old";
}

const fileWords = {
  missing: "not there; `mom service install` writes it",
  current: "there, and of this mom",
  old: "there, of another mom, Node or data directory; `mom service install` writes it anew",
  foreign: "there, and not written by mom",
};

function plan(io: CliIo, options: Options): ServicePlan {
  const facts = collectFacts(io, options);
  const home = io.env["HOME"] || homedir();
  const manager = options.for ?? managers[process.platform];
  if (manager === "systemd") {
    return buildSystemdPlan(facts, { configDir: io.env["XDG_CONFIG_HOME"] || join(home, ".config") });
  }
  if (manager === "launchd") return buildLaunchdPlan(facts, { home, uid: process.getuid?.() ?? 0 });
  throw new UsageError("SERVICE_UNSUPPORTED", `mom knows no services of ${process.platform}.`, {
    hint: "Start `mom run <data-dir>` with the system's own means; --for systemd|launchd prints those files.",
  });
}

const managers: Partial<Record<NodeJS.Platform, ServicePlan["manager"]>> = { linux: "systemd", darwin: "launchd" };

function collectFacts(io: CliIo, options: Options): ServiceFacts {
  const programPath = join(findPackageDir() ?? "", "bin", "mom.js");
  const dataDir = pickDataDir(io, options.data);
  if (!existsSync(programPath)) {
    throw new UsageError("SERVICE_PROGRAM_MISSING", `There is no ${programPath} that a service could start.`, {
      hint: "Install mom as a package, or run this from a clone.",
    });
  }
  const facts = { name: options.name, nodePath: process.execPath, programPath, dataDir, path: io.env["PATH"] };
  if (Object.values(facts).some((text) => text !== undefined && /[\x00-\x1f\x7f]/.test(text))) {
    throw new UsageError(
      "SERVICE_PATH_UNUSABLE",
      "A path with control characters in it cannot be put into a service file.",
      {
        hint: "Choose another --data, or clean up PATH.",
      },
    );
  }
  return facts;
}

/** Is it there? Throws `SERVICE_FILE_FOREIGN` for one that mom has not written. */
async function refuseForeign(path: string): Promise<boolean> {
  const kept = await readText(path);
  if (kept === undefined || kept.includes(marker)) return kept !== undefined;
  throw new UsageError("SERVICE_FILE_FOREIGN", `${path} was not written by mom, and is left alone.`, {
    hint: "Move it away, or choose another --name.",
  });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const isLinked = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

function parseName(given: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,39}$/.test(given)) return given;
  throw new InvalidArgumentError("Expected lower-case letters, digits and dashes.");
}
