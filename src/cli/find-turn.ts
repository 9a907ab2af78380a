/** The turn that a message started, for a command that has just handed the message in. */
import type { Store } from "../contracts/store.ts";
import type { Turn } from "../contracts/turn.ts";

/** How many turns may have been started since, by other channels. */
const newestTurns = 50;

/** Undefined for a message that started none. */
export async function findTurn({ turns }: Pick<Store, "turns">, messageId: string): Promise<Turn | undefined> {
  const newest = await turns.list({ limit: newestTurns });
  return newest.findLast((turn) => turn.message.id === messageId);
}
