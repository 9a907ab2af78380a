/** What can be told from a tool's name alone: is it mom's own, and does a list of names, groups and patterns mean it? */
import { listNativeNames, nativeNames } from "./native-names.ts";
import { normaliseToolName, pickMeaning } from "./tool-names.ts";

/** Also names of tools yet to come. */
export const isOwnName = (name: string): boolean => listNativeNames().includes(normaliseToolName(name));

export function isListed(name: string, entries: readonly string[]): boolean {
  const own = Object.entries(nativeNames).find(([, names]) => names.some((each) => each === name));
  const tool = own ? { name, group: own[0] } : { name, group: "host", origin: "host" as const };
  return pickMeaning(tool, entries) !== undefined;
}
