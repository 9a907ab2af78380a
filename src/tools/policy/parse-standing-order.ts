/**
 * What of a standing order code can check: tools that are forbidden and recipients that are excluded. Said outright
 * (`deny bash, group:web`, `not to #general`) or in plain words that leave no doubt ("never use bash or cron"). Whom a
 * recipient's name means is found by `/rule`, which knows the platform.
 */
import { loadTools } from "../catalog.ts";
import { findUnknownNames, isMeant, type PolicyTool } from "./tool-names.ts";

export interface ParsedOrder {
  text: string;
  denyTools: string[];
  denyRecipients: string[];
  /** Names after `deny` that mean no tool there is. */
  unknown: string[];
}

/** `deny a, b: text`, `not to x, y: text`, in either order, then the order in the owner's words. */
const clause = /^(deny|not to)[^\S\n]+([^;\n]+?)\s*(;\s*|:(?:\s+|$)|\n|$)/i;
/** Between the names of a list. */
const between = /\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+/i;
const prohibition =
  /\b(?:never|don['’]t|do not|must not|mustn['’]t|may not|no longer)\s+(?:use|run|call|start)\s+(?:the\s+)?(?:tools?\s+)?/gi;
/** One name of a list in plain words, and what leads to the next one. Patterns are not plain words. */
const listed =
  /^(?:the\s+)?[`"'“‘]?(\w+(?:[:-]\w+)*)(?![\w*])[`"'”’]?(?:\s+tools?\b)?(\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)?/i;

export async function parseStandingOrder(source: string): Promise<ParsedOrder> {
  const { nativeTools } = await loadTools();
  const order: ParsedOrder = { text: source.trim(), denyTools: [], denyRecipients: [], unknown: [] };
  let rest = order.text;
  for (let match = clause.exec(rest); match; match = clause.exec(rest)) {
    const [whole, verb = "", list = "", end = ""] = match;
    if (verb.toLowerCase() === "deny") {
      const names = list.split(between).flatMap(splitWords);
      order.denyTools.push(...names);
      order.unknown.push(...findUnknownNames(names, nativeTools));
    } else {
      const names = splitRecipients(list);
      // "not to mention prices to customers" is an order like any other.
      if (!/^[:;]/.test(end) && !names.every(isMarked)) break;
      order.denyRecipients.push(...names);
    }
    rest = rest.slice(whole.length);
  }
  for (const { 0: words, index } of rest.matchAll(prohibition)) {
    order.denyTools.push(...pickTools(rest.slice(index + words.length), nativeTools));
  }
  return { ...order, denyTools: [...new Set(order.denyTools)], denyRecipients: [...new Set(order.denyRecipients)] };
}

/** The tools that a list begins with, up to the first word that is none. */
function pickTools(list: string, tools: readonly PolicyTool[]): string[] {
  const names: string[] = [];
  let rest = list;
  for (let match = listed.exec(rest); match; match = listed.exec(rest)) {
    const [whole, name = "", next] = match;
    if (!tools.some((tool) => isMeant(tool, name))) break;
    names.push(name);
    if (next === undefined) break;
    rest = rest.slice(whole.length);
  }
  return names;
}

/** A name may have spaces in it, unless each of its words is marked as a name itself. */
function splitRecipients(list: string): string[] {
  return list
    .split(between)
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .flatMap((name) => (splitWords(name).every(isMarked) ? splitWords(name) : [name]));
}

const splitWords = (text: string) => text.split(/\s+/).filter((word) => word !== "");
const isMarked = (name: string) => /^[@#]./.test(name);
