/** The parent's side of load-child.ts: one life of mom under load. */
import type { LoadOrders, LoadResult } from "./load-child.ts";
import { runChild } from "./run-child.ts";
import type { Workshop } from "./workshop.ts";

/** Rejects when the child ends without a result. */
export async function runLoad({ pathOfChild }: Workshop, orders: LoadOrders): Promise<LoadResult> {
  return runChild<LoadResult>(await pathOfChild("load-child"), orders);
}
