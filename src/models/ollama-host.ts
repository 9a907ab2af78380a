/** `OLLAMA_HOST` as people set it, for the server and the client alike: with or without scheme, host or port. */

const defaultPort = "11434";
export const defaultOllamaUrl = `http://127.0.0.1:${defaultPort}`;

/** The address to ask, without a slash at its end; undefined when it is none. */
export function parseOllamaHost(host: string): string | undefined {
  const hasScheme = /^https?:\/\//i.test(host);
  const address = host.startsWith(":") ? `127.0.0.1${host}` : host;
  const text = hasScheme ? host : `http://${address}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (!hasScheme && url.port === "" && !/:80(\/|$)/.test(address)) url.port = defaultPort;
  // What a server listens on is no address to call.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
