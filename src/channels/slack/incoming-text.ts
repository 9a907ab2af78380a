/** Slack's markup in what people write → plain text: ids become names, addresses stay, entities are decoded. Code is left alone. */
import { replaceOutsideCode } from "../kit/from-platform.ts";

export interface Names {
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/** `<@U1>`, `<#C1|general>`, `<!here>`, `<https://a.b|label>`. */
const controls = /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/g;

/** Ids of the people that a text mentions. */
export function listMentioned(raw: string): string[] {
  const ids = new Set<string>();
  replaceOutsideCode(raw, controls, (whole = "", kind, target) => {
    if (kind === "@" && target !== undefined) ids.add(target);
    return whole;
  });
  return [...ids];
}

/** Without the mention of mom (`selfId`) that it starts with. */
export function fromSlackText(raw: string, selfId: string, names: Names): string {
  const said = raw.replace(new RegExp(`^\\s*<@${selfId}(?:\\|[^<>]*)?>[\\s,:]*`), "");
  const named = replaceOutsideCode(said, controls, (_whole, kind = "", target = "", label = "") =>
    nameControl(kind, target, label, names),
  );
  return named.replace(/&(amp|lt|gt);/g, (_entity, name: keyof typeof entities) => entities[name]);
}

const entities = { amp: "&", lt: "<", gt: ">" } as const;

function nameControl(kind: string, target: string, label: string, names: Names): string {
  switch (kind) {
    case "@":
      return `@${names.user(target) ?? (label || target)}`;
    case "#":
      return `#${label || names.channel(target) || target}`;
    case "!":
      return label || `@${target.replace(/\^.*$/, "")}`;
    default:
      return nameLink(target, label);
  }
}

function nameLink(url: string, label: string): string {
  const address = url.replace(/^(?:mailto|tel):/, "");
  return label === "" || label === url || address.endsWith(label) ? address : `${label} (${address})`;
}
