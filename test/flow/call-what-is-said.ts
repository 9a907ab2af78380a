/** A model that does as it is told: `tool {json}` is called, and what came of it is the answer. */
import type { SeenRequest } from "../fakes/model-server.ts";
import { lastUserText } from "./world.ts";

export function callWhatIsSaid(request: SeenRequest) {
  const messages = request.body["messages"] as { role: string; content: string }[];
  const last = messages.at(-1);
  if (last?.role === "tool") return { type: "answer" as const, text: `it said: ${last.content}` };
  const [, name = "", json = "{}"] = /^(\w+) (\{[\s\S]*\})$/.exec(lastUserText(request)) ?? [];
  if (name === "") return { type: "answer" as const, text: "ok" };
  return { type: "answer" as const, toolCalls: [{ name, arguments: JSON.parse(json) }] };
}

export const bash = (command: string) => `bash ${JSON.stringify({ command })}`;
