/** `/new`: a fresh conversation. The old transcript is kept beside the new one. */
import type { Command } from "../contracts/command.ts";
import type { Sessions } from "../contracts/store.ts";

export function buildNewCommand(sessions: Sessions): Command {
  return {
    name: "new",
    summary: "start a fresh conversation (what was said stays in the log)",
    async run({ session, turn }) {
      await sessions.reset(session.sessionKey, turn.id);
      return "A fresh conversation. What was said before is kept in the channel's folder, but I no longer have it in mind.";
    },
  };
}
