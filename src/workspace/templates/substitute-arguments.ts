/** Puts arguments into a prompt template (spec 3.10). One pass: what comes in as an argument is never looked at again. */

/** `$1…`, `$@`, `$ARGUMENTS`, `${@:N}`, `${@:N:L}`; every other `$` is the template's own. */
const placeholder = /\$(?:([1-9]\d*)|(@|ARGUMENTS\b)|\{@:(\d+)(?::(\d+))?\})/g;

/** Missing arguments are empty. Undefined: the result would be longer than `maxChars`. */
export function substituteArguments(template: string, args: readonly string[], maxChars: number): string | undefined {
  const everything = args.join(" ");
  let result = "";
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    result += template.slice(end, match.index) + toValue(match, args, everything);
    end = match.index + match[0].length;
    // Checked as it grows: a template of thousands of `$@` must not fill the memory first.
    if (result.length > maxChars) return undefined;
  }
  result += template.slice(end);
  return result.length > maxChars ? undefined : result;
}

function toValue(match: RegExpExecArray, args: readonly string[], everything: string): string {
  const [, position, all, from, length] = match;
  if (all !== undefined) return everything;
  if (position !== undefined) return args[Number(position) - 1] ?? "";
  // Counted from 1 as in bash; 0 would be the name of the template there.
  const start = Math.max(0, Number(from) - 1);
  return args.slice(start, length === undefined ? undefined : start + Number(length)).join(" ");
}
