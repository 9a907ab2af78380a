/** Addresses of a platform's servers: encrypted, unless they are on this very machine (tests, a proxy, a local server). */
import { z } from "zod";

/** `localhost` and the loopback addresses, as the URL standard writes them. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** May this address be connected to? `https:` and `wss:` anywhere, `http:` and `ws:` on loopback. Nobody's password in it. */
export function isSafeUrl(url: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:" || url.protocol === "wss:") return true;
  return (url.protocol === "http:" || url.protocol === "ws:") && isLoopback(url);
}

const isBase = (url: URL) => url.protocol.startsWith("http") && url.search === "" && url.hash === "" && isSafeUrl(url);

/** `apiUrl` in an adapter's config. */
export const apiUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && isBase(url);
  }, "a whole address that starts with https:// (http:// only for this machine: localhost, 127.0.0.1), without password or query")
  .describe(
    "Base address of the platform's API, for another cloud, a proxy or a test server. Absent: the platform's own.",
  );
