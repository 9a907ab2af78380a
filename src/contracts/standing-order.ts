/**
 * Standing orders: what an owner forbids or demands for good (spec 3.6). They live outside every transcript, are sent with
 * every turn, and what code can check of them is enforced at the tool gate.
 */
import type { TurnId } from "./ids.ts";

export interface StandingOrder {
  /** Short, for people: `r1`, `r2` … never used again. */
  id: string;
  agentId: string;
  /** As the owner put it. */
  text: string;
  /** Tools that the gate refuses: names, `group:` or patterns, as in tool policies. */
  denyTools: string[];
  /**
   * Chats and people that tools may send nothing to: names as typed and the platform's ids that they meant, compared
   * without case, `@` and `#`.
   */
  denyRecipients: string[];
  /** `adapter:id` of who gave it. */
  by: string;
  createdAt: number;
}

export interface StandingOrders {
  /** Durable when it resolves. Once per `turnId`, however often it is called. */
  add(order: Omit<StandingOrder, "id" | "createdAt">, turnId: TurnId): Promise<StandingOrder>;
  /** Oldest first. Asked on every tool call, so it must be cheap. */
  list(agentId: string): Promise<StandingOrder[]>;
  /** False when there is none with that id. */
  remove(agentId: string, id: string): Promise<boolean>;
}
