/**
 * How people can get what a skill needs, in words. Nothing of this is ever run by mom; but people paste what they are
 * shown, so that a name with anything in it that a shell acts upon is not shown at all.
 */
import type { FieldSet } from "./field-reader.ts";
import { isWebAddress } from "./web-address.ts";

export interface SkillInstall {
  /** `brew install ffmpeg`, `download https://…`. */
  words: string;
  /** Programs that it brings. Empty: whatever the skill needs. */
  bins: string[];
  /** As in `process.platform`. Empty: any. */
  os: string[];
}

const packageName = /^[@A-Za-z0-9][\w@./+~-]{0,199}$/;

interface InstallKind {
  field: string;
  isFit(value: string): boolean;
  toWords(value: string): string;
}

const isPackage = (value: string) => packageName.test(value);

const kinds: Readonly<Record<string, InstallKind>> = {
  brew: { field: "formula", isFit: isPackage, toWords: (formula) => `brew install ${formula}` },
  node: { field: "package", isFit: isPackage, toWords: (name) => `npm install --global ${name}` },
  go: {
    field: "module",
    isFit: isPackage,
    toWords: (module) => `go install ${module}${module.includes("@") ? "" : "@latest"}`,
  },
  uv: { field: "package", isFit: isPackage, toWords: (name) => `uv tool install ${name}` },
  download: { field: "url", isFit: isWebAddress, toWords: (url) => `download ${url}` },
};

/** One or none: an entry that cannot be used is noted and left out. */
export function parseInstall(fields: FieldSet): SkillInstall[] {
  const name = fields.text("kind", "warning") ?? "";
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (!kind) {
    fields.note("warning", "kind", `must be one of ${Object.keys(kinds).join(", ")}`);
    return [];
  }
  const value = fields.text(kind.field, "warning");
  if (value === undefined || !kind.isFit(value)) {
    const wanted = kind.field === "url" ? "an http or https address" : "the plain name of a package";
    fields.note("warning", kind.field, `must be ${wanted} (for ${name})`);
    return [];
  }
  const bins = fields.texts("bins", "warning") ?? [];
  return [{ words: kind.toWords(value), bins, os: fields.texts("os", "warning") ?? [] }];
}
