/** The usual result: one text for the model, details for the UI, a notice in brackets where something was cut. */
import type { ToolResult } from "../../contracts/tool.ts";

export function buildTextResult<Details>(text: string, details: Details, notice?: string): ToolResult<Details> {
  const full = notice === undefined ? text : `${text}\n\n[${notice}]`;
  return { content: [{ type: "text", text: full.trim() === "" ? "(empty)" : full }], details };
}
