/** What a model may ask of the browser, and what each action needs. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";

const actions = [
  "open",
  "snapshot",
  "click",
  "type",
  "select",
  "press",
  "hover",
  "scroll",
  "wait",
  "screenshot",
  "pdf",
  "back",
  "forward",
  "reload",
  "tabs",
  "tab",
  "close",
] as const;
export type BrowserAction = (typeof actions)[number];

const flag = () => Type.Optional(Type.Boolean());

export const browserParameters = Type.Object(
  {
    action: Type.Enum([...actions], { type: "string" }),
    url: Type.Optional(Type.String({ maxLength: 4000, description: "open; wait: part of it" })),
    newTab: flag(),
    ref: Type.Optional(Type.String({ pattern: "^(f\\d+)?e\\d+$", description: "From a snapshot" })),
    text: Type.Optional(Type.String({ maxLength: 20_000, description: "type; wait for it" })),
    submit: Type.Optional(Type.Boolean({ description: "type: then Enter" })),
    values: Type.Optional(Type.Array(Type.String(), { description: "select" })),
    key: Type.Optional(Type.String({ description: "press" })),
    double: flag(),
    button: Type.Optional(Type.Enum(["left", "right", "middle"], { type: "string" })),
    accept: Type.Optional(Type.Boolean({ description: "Say yes to dialogs" })),
    seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 30 })),
    fullPage: flag(),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "snapshot: first line" })),
    index: Type.Optional(Type.Integer({ minimum: 0, description: "tab" })),
    all: flag(),
  },
  { additionalProperties: false },
);
export type BrowserParams = Static<typeof browserParameters>;

/** The value of a parameter that this action cannot do without. */
export function needParam<Name extends keyof BrowserParams>(
  params: BrowserParams,
  name: Name,
): NonNullable<BrowserParams[Name]> {
  const value = params[name];
  if (value !== undefined && value !== null) return value;
  throw new ToolError("BROWSER_ARGUMENT_MISSING", `"${params.action}" needs "${name}"`, {
    hint: name === "ref" ? "Refs come from a snapshot." : `Call it again with "${name}".`,
  });
}

const outward: readonly BrowserAction[] = ["click", "type", "select", "press"];

/** Visiting and looking is reading; these can order, send and delete. */
export const isActing = (action: BrowserAction) => outward.includes(action);

/** One line for people: `browser click e5`. */
export function describeParams(params: BrowserParams): string {
  const { action, url, ref, text, values, key, index } = params;
  const typed = text === undefined ? undefined : JSON.stringify(text);
  const rest = [url, ref, typed, values?.join(", "), key, index].filter((part) => part !== undefined);
  return ["browser", action, ...rest].join(" ");
}
