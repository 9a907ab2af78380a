/** HTML as text: for the dialects that write it. */

/** Safe between tags and in an attribute with double quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** `<tag>inner</tag>` */
export const tag = (name: string, attributes = "") => {
  const open = `<${name}${attributes}>`;
  return (inner: string): string => `${open}${inner}</${name}>`;
};
