/** `edit`: replaces a piece of a text file; everything else in it stays as it is, byte order mark and line ends too. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import type { Change } from "./describe-change.ts";
import type { EditOutcome } from "./edit-text.ts";
import { ensureWellFormed } from "./ensure-well-formed.ts";
import { loadFile } from "./load-file.ts";
import { formatNearest } from "./nearest-lines.ts";
import type { TextWork } from "./text-work.ts";

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    oldText: Type.String({ minLength: 1, description: "Must occur once" }),
    newText: Type.String(),
    replaceAll: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

interface EditDetails extends Change {
  path: string;
  replacements: number;
}

export interface EditOptions {
  textWork: TextWork;
}

export function createEditTool(
  operations: Operations,
  { textWork }: EditOptions,
): Tool<typeof parameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description: "Replace oldText in a file by newText. Give enough of the surrounding text to be unique.",
    parameters,
    effect: "write",
    describe: ({ path }) => `edit ${path}`,
    locks: async ({ path }) => [await operations.resolve(path)],
    async execute(_id, { path, oldText, newText, replaceAll = false }, signal) {
      ensureWellFormed(oldText, newText);
      const bytes = await loadFile(operations, path);
      if (bytes === undefined) {
        throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`, { hint: "Use write to make a new file." });
      }
      const edited = ensureEdited(path, await textWork.edit({ bytes, oldText, newText, replaceAll }, signal));
      signal.throwIfAborted();
      await operations.writeFile(path, edited.text);
      const { replacements, firstLine, diff, isTolerant } = edited;
      const text = `Replaced ${replacements === 1 ? "1 place" : `${replacements} places`} in ${path}, line ${firstLine}${
        isTolerant ? " (differences in trailing space, quotes or dashes were set aside)" : ""
      }.`;
      return buildTextResult(text, { path, replacements, firstLine, diff });
    },
  };
}

function ensureEdited(path: string, outcome: EditOutcome): EditOutcome & { type: "edited" } {
  switch (outcome.type) {
    case "edited":
      return outcome;
    case "not_text":
      throw new ToolError("FILE_BINARY", `"${path}" is not UTF-8 text; an edit would damage it`, {
        hint: "Change it with a program that knows its format.",
      });
    case "not_found":
      throw new ToolError("EDIT_NOT_FOUND", `oldText does not occur in "${path}"`, {
        hint: outcome.isEmpty ? "The file is empty; use write." : formatNearest(outcome.nearest),
      });
    case "not_unique": {
      const { count, lines } = outcome;
      const more = count > lines.length ? ", …" : "";
      throw new ToolError(
        "EDIT_NOT_UNIQUE",
        `oldText occurs ${count} times in "${path}" (lines ${lines.join(", ")}${more})`,
        { hint: "Add surrounding lines to make it unique, or set replaceAll." },
      );
    }
    case "no_change":
      throw new ToolError("EDIT_NO_CHANGE", `The edit would leave "${path}" as it is`, {
        hint: "oldText and newText are the same; nothing needs to be done, or newText is not what you meant.",
      });
  }
}
