/** Auth profiles in memory, for tests that are about something else. What `auth.json` does is tested on a real disk. */
import type { AuthData, AuthStore } from "../../src/contracts/auth.ts";

export function createMemoryAuth(first: Partial<AuthData> = {}): AuthStore {
  let data: AuthData = { profiles: {}, usageStats: {}, ...first };
  return {
    load: async () => structuredClone(data),
    async update(change) {
      const next = structuredClone(data);
      const result = await change(next);
      data = next;
      return result;
    },
  };
}
