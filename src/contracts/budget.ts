/** Limits on what models may cost (spec 4.4): asked before every model call, silent ones too. */
import type { SessionKey } from "./ids.ts";

export interface BudgetAsker {
  agentId: string;
  sessionKey: SessionKey;
  /** `adapter:id` of who asked. */
  sender: string;
}

export type BudgetVerdict =
  | { type: "within" }
  /**
   * Nearly used up; `note` is for the person, to be said once per budget and period: given until `noteTold(key)`. Of two
   * verdicts with the same `key` the later note is the better one, its figure is newer.
   */
  | { type: "near"; note: string; key: string }
  /** Used up: go on with `model`. */
  | { type: "cheaper"; model: string; note: string }
  /** Used up: no call may be made. */
  | { type: "refused"; message: string };

export interface Budgets {
  /** Changes nothing: a check whose verdict reaches nobody costs nobody a warning. */
  check(asker: BudgetAsker): Promise<BudgetVerdict>;
  /**
   * The person has been given the note of the `near` verdict with this key; called when the reply with it goes out, not when
   * it is checked. Twice is fine. The key is of the period in which it was checked, so a late call mutes no later warning.
   */
  noteTold(key: string): Promise<void>;
}
