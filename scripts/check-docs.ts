/**
 * Do the documents tell the truth? Paths that they name must exist, and docs/errors.md must list exactly the error codes
 * that the source constructs. Used by test/docs.test.ts.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One sentence per problem; empty when all is well. */
export function checkDocs(root: string): string[] {
  return [...checkPaths(root), ...checkErrorCodes(root)];
}

const documents = ["docs/**/*.md", "README.md", "AGENTS.md", "CONTRIBUTING.md"];
/** The folders and files of the repository that a document can point into. */
const repoPath = /^(?:\.\/)?((?:src|test|bench|scripts|bin|docs|web|\.ci)\/[\w./@-]*|[\w-]+\.(?:json|cjs|md))$/;
/** Made by the build or by running mom: named in the documents, absent from a fresh clone. */
const madeLater = new Set(["config.json", "auth.json"]);

function checkPaths(root: string): string[] {
  return globSync(documents, { cwd: root }).flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    const named = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => repoPath.exec(match[1] ?? "")?.[1]);
    const paths = [...new Set(named.filter((path) => path !== undefined))];
    return paths
      .filter((path) => !madeLater.has(path) && !isWorkspaceFile(path) && !existsSync(join(root, path)))
      .map((path) => `${document} names ${path}, which does not exist`);
  });
}

/** `SOUL.md`, `MEMORY.md` … are files of a data directory, not of the repository. */
function isWorkspaceFile(path: string): boolean {
  return /^(?:SOUL|IDENTITY|USER|AGENTS|TOOLS|HEARTBEAT|MEMORY|BOOTSTRAP|SYSTEM|APPEND_SYSTEM|SKILL)\.md$/.test(path);
}

function checkErrorCodes(root: string): string[] {
  const listPath = join(root, "docs/errors.md");
  if (!existsSync(listPath)) return ["docs/errors.md does not exist"];
  const constructed = listConstructedCodes(root);
  const listed = new Set(
    [...readFileSync(listPath, "utf8").matchAll(/^\|\s*`?([A-Z][A-Z0-9_]+)`?\s*\|/gm)].map((match) => match[1]),
  );
  return [
    ...[...constructed]
      .filter(([code]) => !listed.has(code))
      .map(([code, file]) => `docs/errors.md lacks ${code} (${file})`),
    ...[...listed]
      .filter((code) => code && !constructed.has(code))
      .map((code) => `docs/errors.md lists ${code}, which no source constructs`),
  ];
}

/** Code → the file that constructs it. */
function listConstructedCodes(root: string): Map<string, string> {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  return new Map(
    files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(/new \w+Error\(\s*"([A-Z0-9_]+)"/g)].map((match) => [match[1] ?? "", file] as const);
    }),
  );
}
