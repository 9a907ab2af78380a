/** `mom update`: which mom this is, how it came here, and the command that brings a newer one. Nothing is fetched or changed. */
import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { Command } from "commander";
import { findPackageDir } from "../../base/package-dir.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { printJson, printLines } from "../print.ts";
import { quoteForShell } from "../quote-for-shell.ts";
import { version } from "../version.ts";

export interface Install {
  how:
    | "git clone"
    | "npm, for all of this account"
    | "pnpm, for all of this account"
    | "npx"
    | "a project's dependency"
    | "unpacked";
  /** What to run, in order. */
  commands: string[];
}

export function buildUpdateCommand(io: CliIo): Command {
  return new Command("update")
    .description(
      "Says which version this is, how it was installed, and what to run for a newer one. Does nothing itself.",
    )
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: { data?: string; json?: true }) => {
      const packageDir = findPackageDir() ?? "";
      const install = describeInstall(packageDir);
      const running = readHolderNow(pickDataDir(io, options.data)) ?? false;
      if (options.json) return printJson(io, { version, packageDir, ...install, running });
      printLines(io, [
        `mom ${version} in ${packageDir} (${install.how})`,
        "for a newer one:",
        ...install.commands.map((command) => `  ${command}`),
        running
          ? `then start mom anew: process ${running.pid} runs the old one until it ends (/restart in a chat does it too)`
          : "the data directory is brought up to date at the next start",
      ]);
    });
}

/** By where the package lies; nothing is asked. */
export function describeInstall(packageDir: string, has: (path: string) => boolean = existsSync): Install {
  const dir = quoteForShell(packageDir);
  if (has(join(packageDir, ".git"))) {
    return { how: "git clone", commands: [`git -C ${dir} pull --ff-only`, `npm --prefix ${dir} ci`] };
  }
  const parts = packageDir.split(sep);
  const modules = parts.lastIndexOf("node_modules");
  if (modules < 0) return { how: "unpacked", commands: [`unpack the new release over ${dir}`] };
  if (parts.includes("_npx")) return { how: "npx", commands: ["npx mom@latest --version"] };
  if (parts.includes("pnpm") && parts.includes("global")) {
    return { how: "pnpm, for all of this account", commands: ["pnpm add --global mom@latest"] };
  }
  const project = parts.slice(0, modules).join(sep);
  if (has(join(project, "package.json"))) {
    return { how: "a project's dependency", commands: [`npm --prefix ${quoteForShell(project)} install mom@latest`] };
  }
  return { how: "npm, for all of this account", commands: ["npm install --global mom@latest"] };
}
