/** What a person may want of the offline model. Found by `intents.ts`, carried out by `plan.ts`. */
import type { When } from "./times.ts";

export type Intent =
  | { type: "due"; text: string }
  | { type: "greeting" }
  | { type: "thanks" }
  | { type: "help" }
  | { type: "time" }
  /** `command` is absent when it is described but not given. */
  | { type: "run"; command?: string }
  | { type: "list"; path: string }
  | { type: "read"; path: string }
  | { type: "search"; pattern: string; path?: string }
  | { type: "find"; pattern: string; path?: string }
  | { type: "remember"; fact: string }
  /** An empty topic means everything. */
  | { type: "recall"; topic: string }
  /** `when` or `text` is absent when the request does not say. `every`: again and again, in its own words. */
  | { type: "remind"; text?: string; when?: When; every?: string }
  | { type: "reminders" }
  | { type: "cancel"; id?: string }
  | { type: "said"; topic: string }
  | { type: "spawn" }
  | { type: "unknown" };
