/** The address of a page as text: `#/chat/<key>?view=x`. Pure; router.ts keeps the present one. */
export interface Route {
  /** The page: `chat`. Empty at the start. */
  path: string;
  /** What comes behind it, decoded: a session key, a name. */
  arg: string | undefined;
  query: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
  const [, path = "", arg, search = ""] = /^#\/([\w-]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  return {
    path,
    arg: arg === undefined || arg === "" ? undefined : decode(arg),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** `href("chat", key)` → `#/chat/…`, for links. */
export function href(path: string, arg?: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${path}${arg === undefined ? "" : `/${encodeURIComponent(arg)}`}${search === "" ? "" : `?${search}`}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
