/** The conversation that the page shows: the one in the address, else the owner's own. Page and header share it. */
import { computed } from "@preact/signals";
import { snapshot } from "../connection.ts";
import { route } from "../router.ts";
import { createChat } from "./chat-store.ts";

export const currentKey = computed(() => {
  const { path, arg } = route.value;
  return path === "chat" ? (arg ?? snapshot.value?.mainSessionKey) : undefined;
});

export const currentChat = computed(() => (currentKey.value === undefined ? undefined : createChat(currentKey.value)));
