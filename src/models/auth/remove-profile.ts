/** Takes a profile out of `auth.json` with everything that names it: an order of nothing but it would close its provider. */
import type { AuthData } from "../../contracts/auth.ts";

/** Changes `data` in place. False: there is none with that id. */
export function removeProfile(data: AuthData, id: string): boolean {
  const isThere = Object.hasOwn(data.profiles, id);
  delete data.profiles[id];
  delete data.usageStats[id];
  for (const [provider, ids] of Object.entries(data.order ?? {})) {
    const left = ids.filter((each) => each !== id);
    if (left.length === ids.length) continue;
    if (left.length > 0) data.order = { ...data.order, [provider]: left };
    else delete data.order?.[provider];
  }
  return isThere;
}
