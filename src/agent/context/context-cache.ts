/**
 * What was worked out once for an entry or a message. Both never change and are handed out again every turn, so a turn
 * with a long history costs little more than its new entries. Held weakly: it ends with what it is about.
 */
import type { ModelMessage } from "../../contracts/model.ts";
import type { CleanMessage } from "./clean-message.ts";
import type { ContextItem } from "./context-item.ts";

export interface ContextCache {
  /** By entry; null: the entry says nothing to the model. */
  readonly items: WeakMap<object, ContextItem | null>;
  /** By context edit, together with the item that it was applied to. */
  readonly edited: WeakMap<object, { from: ContextItem; item: ContextItem | undefined }>;
  /** By message, for the model that it was cleaned for. */
  readonly cleaned: WeakMap<ModelMessage, { fit: string; clean: CleanMessage | undefined }>;
}

export function createContextCache(): ContextCache {
  return { items: new WeakMap(), edited: new WeakMap(), cleaned: new WeakMap() };
}
