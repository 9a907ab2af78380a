/** Where the page is: `#/chat/<key>?view=x`. The part behind the hash never leaves the browser. */
import { signal } from "@preact/signals";
import { href, parseRoute, type Route } from "./route.ts";

export { href, type Route } from "./route.ts";

export const route = signal<Route>({ path: "", arg: undefined, query: {} });

export function go(path: string, arg?: string, query?: Readonly<Record<string, string>>): void {
  location.hash = href(path, arg, query);
}

/** Goes there without a step that "back" would come to. */
export function replaceRoute(path: string, arg?: string, query?: Readonly<Record<string, string>>): void {
  history.replaceState(null, "", href(path, arg, query));
  route.value = parseRoute(location.hash);
}

/** Called once, by main.tsx, after the connection has taken its code out of the address. */
export function startRouter(): void {
  route.value = parseRoute(location.hash);
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
}
