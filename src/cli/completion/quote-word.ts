/** A text as one word of a script for bash, zsh or fish. Quotes and backslashes mean other things in each, so none is left. */
export const quoteWord = (text: string): string => `'${text.replaceAll("'", "’").replaceAll("\\", "/")}'`;
