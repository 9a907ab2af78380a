/** Is a text an address that may be shown to people as one? */

/** Http or https, without user or password, and without anything that a shell or a terminal would act upon. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[\w.:/?#@=%+,~-]{1,500}$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}
