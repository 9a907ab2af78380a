/** How a message asks the model of the benches for a tool call: `#read notes.md#`, `#bash echo hello#`. */

export interface AskedCall {
  name: string;
  args: Record<string, string>;
}

const parameters: Readonly<Record<string, string>> = { read: "path", bash: "command" };

/** `value`: the path of `read`, the command of `bash`. Neither it nor what stands around it may contain quotes or `#`. */
export const askFor = (name: "read" | "bash", value: string): string => `#${name} ${value}#`;

/** `text`: a message as it stands in a request's JSON. */
export function findAskedCall(text: string): AskedCall | undefined {
  const [, name = "", value = ""] = /#(read|bash) ([^#"\\]+)#/.exec(text) ?? [];
  const parameter = parameters[name];
  return parameter === undefined ? undefined : { name, args: { [parameter]: value } };
}
