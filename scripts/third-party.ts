/** The licences of the packages that the bundle contains: collected from their folders, refused where they bind us. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

export interface PackageLicence {
  name: string;
  version: string;
  /** SPDX expression. */
  licence: string;
  /** Licence and notice files as they are in the package. */
  text: string;
}

/** What may be shipped inside an MIT-licensed bundle. Anything else stops the build until somebody has looked at it. */
const permissive = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
  "Python-2.0",
  "Zlib",
]);

/** Every package with a file in the bundle, by name and version. Throws with all problems at once. */
export async function readLicences(root: string, metafile: Metafile): Promise<PackageLicence[]> {
  const folders = listPackageFolders(metafile);
  const read = await Promise.all(folders.map((folder) => readLicence(root, folder)));
  const found = read.map((result) => (typeof result === "string" ? result : withSiblingText(result, read)));
  const problems = found.filter((result) => typeof result === "string");
  if (problems.length > 0) throw new Error(`licences of bundled packages:\n  ${problems.join("\n  ")}`);
  const licences = found.filter((result) => typeof result !== "string");
  const keyOf = (licence: PackageLicence) => `${licence.name}@${licence.version}`;
  const unique = new Map(licences.map((licence) => [keyOf(licence), licence]));
  return [...unique.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function listPackageFolders(metafile: Metafile): string[] {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

interface ReadLicence extends PackageLicence {
  folder: string;
  repository: string;
}

/** A package that forgets its licence's text shares it with others of the same repository under the same licence. */
function withSiblingText(own: ReadLicence, all: readonly (ReadLicence | string)[]): PackageLicence | string {
  const { folder, repository, ...licence } = own;
  if (own.text !== "") return licence;
  const sibling = all.find(
    (each) =>
      typeof each !== "string" &&
      each.text !== "" &&
      repository !== "" &&
      each.repository === repository &&
      each.licence === own.licence,
  );
  if (typeof sibling === "object") return { ...licence, text: sibling.text };
  return `${folder}: ${own.licence}, but the package holds no licence text`;
}

async function readLicence(root: string, folder: string): Promise<ReadLicence | string> {
  const path = join(root, folder);
  const manifest = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const licence = typeof manifest.license === "string" ? manifest.license : manifest.license?.type;
  if (typeof licence !== "string" || licence === "") return `${folder}: package.json names no licence`;
  if (!isPermissive(licence)) return `${folder}: ${licence} is not in the list of licences that may be bundled`;
  const text = (await readTexts(path)) || formatStandardText(licence, manifest);
  const repository = String(manifest.repository?.url ?? manifest.repository ?? "");
  return { name: String(manifest.name), version: String(manifest.version), licence, text, folder, repository };
}

/** `A OR B` needs one that fits, `A AND B` all of them. */
function isPermissive(expression: string): boolean {
  const plain = expression.replace(/[()]/g, "");
  return plain.split(" OR ").some((choice) => choice.split(" AND ").every((id) => permissive.has(id.trim())));
}

async function readTexts(path: string): Promise<string> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && /^(licen[sc]e|copying|notice)/i.test(entry.name));
  const texts = await Promise.all(names.map(({ name }) => readFile(join(path, name), "utf8")));
  return texts.map((text) => text.trim()).join("\n\n");
}

/** Some packages name the MIT licence and forget its text; its words are always the same, only the owner differs. */
function formatStandardText(licence: string, manifest: { author?: string | { name?: string }; name?: string }): string {
  if (licence !== "MIT") return "";
  const { author } = manifest;
  const owner = (typeof author === "string" ? author : author?.name) || `the authors of ${manifest.name}`;
  return `Copyright (c) ${owner}\n\n${mitText}`;
}

const mitText = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

export function formatNotices(licences: readonly PackageLicence[]): string {
  const line = "-".repeat(80);
  const head = "mom contains the following packages, each under its own licence.";
  const parts = licences.map(
    ({ name, version, licence, text }) => `${line}\n${name} ${version} (${licence})\n\n${text}`,
  );
  return `${[head, ...parts].join("\n\n")}\n`;
}
