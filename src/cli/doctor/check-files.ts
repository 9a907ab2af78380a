/** The files of the channels and the log: can they be read, and does each end in a whole line? */
import { open, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { buildLayout } from "../../store/index.ts";
import { logPathOf } from "../cli-log.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const check = "files";
const tailBytes = 256 * 1024;
/** More is not worth the wait; what is wrong with a disk shows in the first ones too. */
const mostFiles = 5000;
const namePattern = /^(log|context)\.jsonl$/;

export async function checkFiles(dataDir: string, isRunning: boolean): Promise<Finding[]> {
  const { channelsDir } = buildLayout(dataDir);
  const found = await readdir(channelsDir, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((item) => item.isFile() && namePattern.test(item.name));
  const paths = [...files.map(({ parentPath, name }) => join(parentPath, name)), logPathOf(dataDir)].slice(
    0,
    mostFiles,
  );
  const findings: Finding[] = [];
  for (const path of paths) {
    const problem = await inspectTail(path);
    const name = relative(dataDir, path);
    if (problem?.type === "unreadable")
      findings.push(
        fail(check, `${name} cannot be read (${problem.code})`, "Give the user that runs mom read access."),
      );
    // A running mom may be in the middle of this very line.
    if (problem?.type === "torn" && !isRunning) {
      findings.push(
        warn(
          check,
          `${name} ends in half a line, left by a crash`,
          "Nothing to do: it is mended before the next line is written.",
        ),
      );
    }
    if (problem?.type === "bad")
      findings.push(
        warn(
          check,
          `${name} ends in a line that is not JSON`,
          "It is skipped when read. Correct the line, or leave it.",
        ),
      );
  }
  return findings.length > 0 ? findings : [ok(check, `${files.length} logs and transcripts can be read`)];
}

type TailProblem = { type: "unreadable"; code: string } | { type: "torn" | "bad" };

async function inspectTail(path: string): Promise<TailProblem | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - tailBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
      return judgeTail(buffer.toString("utf8", 0, bytesRead), start > 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    return code === "ENOENT" ? undefined : { type: "unreadable", code };
  }
}

function judgeTail(text: string, isCut: boolean): TailProblem | undefined {
  if (text === "") return undefined;
  const isEnded = text.endsWith("\n");
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-1) ?? "";
  // One line longer than what was read: its beginning is not here, so nothing can be said.
  if (last === "" || (isCut && lines.length === 1)) return undefined;
  try {
    JSON.parse(last);
    return undefined;
  } catch {
    return { type: isEnded ? "bad" : "torn" };
  }
}
