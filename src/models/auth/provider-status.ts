/** How a provider stands with its keys, for `mom models status` and the rooms that ask. Pure. */
import type { ProfileStatus, ProviderStatus } from "../../contracts/model.ts";

/** `missing`: why it cannot be asked at all; undefined when it could, were its profiles ready. */
export function buildProviderStatus(
  name: string,
  profiles: ProfileStatus[],
  missing: string | undefined,
): ProviderStatus {
  if (missing !== undefined) return { name, usable: false, missing, profiles };
  if (profiles.length === 0 || profiles.some(({ state }) => state === "ready")) return { name, usable: true, profiles };
  const until = Math.min(...profiles.map((profile) => profile.until ?? Number.POSITIVE_INFINITY));
  const when = Number.isFinite(until) ? ` The first is ready at ${new Date(until).toISOString()}.` : "";
  return { name, usable: false, missing: `Every profile of ${name} is resting after failures.${when}`, profiles };
}
