/** What tests of subagents have in common: a house that can be opened again, tasks, and the announces that were read. */
import type { TestContext } from "node:test";
import type { ToolScope } from "../../src/contracts/tool.ts";
import { createWorld, openHouse, type SubagentHouse, type World } from "./subagent-house.ts";
import { createTempFolder } from "./temp-folder.ts";

export async function begin(t: TestContext, config: World["config"] = {}) {
  const { dir } = await createTempFolder(t);
  const world = createWorld();
  world.config = config;
  const houses: SubagentHouse[] = [];
  const open = async () => {
    await houses.at(-1)?.close();
    const house = await openHouse(world, dir);
    houses.push(house);
    return house;
  };
  t.after(() => houses.at(-1)?.close());
  return { world, open };
}

export const isChild = (text: string) => !text.startsWith("[");
/** Announces that were read, in order. */
export const announces = ({ ended }: World) =>
  ended.map(({ turn }) => turn.message.text).filter((text) => text.startsWith("[SUBAGENT"));
export const spawn = (house: SubagentHouse, scope: ToolScope, task: string, more: object = {}) =>
  house.room.spawn(scope, { task, callId: `call ${task}`, ...more });
/** Children stay at work until their task is let go. */
export function holdAll(world: World): Set<string> {
  const free = new Set<string>();
  world.answer = ({ message: { text } }) =>
    isChild(text) && !free.has(text) ? "hold" : { outcome: "done", reply: `findings of ${text}` };
  return free;
}
