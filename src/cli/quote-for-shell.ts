/** A word of a command that a person will paste into a shell. */
export const quoteForShell = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
