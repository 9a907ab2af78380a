/** What of a request is said in its conversation; instructions that come with every request are told a kept one once. */
import { createHash } from "node:crypto";
import type { ApiMessage } from "./api-message.ts";
import { buildSaid, instructionsOf, isCommand, type Said } from "./build-said.ts";
import type { Conversation } from "./conversation.ts";

export interface WordChooser {
  /** `remember` is called when it was said. `param`: the field that holds the messages. */
  choose(messages: readonly ApiMessage[], to: Conversation, param: string): { said: Said; remember(): void };
}

const mostRemembered = 1_000;

/** What was told is forgotten at a restart: saying it twice does no harm. */
export function createWordChooser(): WordChooser {
  const told = new Map<string, string>();
  const note = (key: string, mark: string | undefined) => {
    told.delete(key);
    if (mark !== undefined) told.set(key, mark);
    const oldest = told.keys().next().value;
    if (told.size > mostRemembered && oldest !== undefined) told.delete(oldest);
  };
  return {
    choose(messages, { agentId, name, isPassing }, param) {
      if (isPassing) {
        return { said: buildSaid(messages, { isKept: false, withInstructions: true, param }), remember() {} };
      }
      const key = `${agentId}/${name}`;
      const instructions = instructionsOf(messages);
      const mark = createHash("sha256").update(instructions).digest("hex");
      // A command may begin the conversation anew: then nothing that was told before is there.
      const isBare = isCommand(messages);
      const withInstructions = !isBare && told.get(key) !== mark;
      return {
        said: buildSaid(messages, { isKept: true, withInstructions, param }),
        remember: () => note(key, isBare || instructions === "" ? undefined : mark),
      };
    },
  };
}
