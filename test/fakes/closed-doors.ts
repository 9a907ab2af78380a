/** Doors of the house behind which nothing is: for tests of tools that do not use them. */
import type { ToolDoors } from "../../src/tools/index.ts";

export function createClosedDoors(): ToolDoors {
  const closed = new Proxy(
    {},
    {
      get: (_, name) => () => {
        throw new Error(`${String(name)}: nothing is behind this door`);
      },
    },
  );
  return {
    cron: closed,
    subagents: closed,
    sessions: closed,
    memory: closed,
    leadsSomewhere: async () => false,
  } as unknown as ToolDoors;
}
