/** Which pages there are for whoever is connected. */
import type { MethodName } from "../../src/gateway/protocol/index.ts";

/** Those whose methods all exist and may be called. */
export const pickPages = <Entry extends { needs: readonly MethodName[] }>(
  pages: readonly Entry[],
  features: ReadonlySet<MethodName>,
): Entry[] => pages.filter(({ needs }) => needs.every((name) => features.has(name)));
