/** The chat's part of the top bar: which conversation, with which model, and a new one. */
import { signal } from "@preact/signals";
import { can, snapshot } from "../connection.ts";
import { nameOfKey, nameOfSession } from "../names.ts";
import { Icon, IconButton } from "../ui/index.ts";
import { currentChat } from "./current-chat.ts";
import { startAfresh } from "./new-conversation.ts";
import { SessionSettings } from "./session-settings.tsx";
import { SessionSwitcher } from "./session-switcher.tsx";

const open = signal<"switcher" | "settings" | undefined>(undefined);
const close = () => {
  open.value = undefined;
};

export function Header() {
  const chat = currentChat.value;
  if (!chat) return null;
  const session = chat.session.value;
  const name = session ? nameOfSession(session) : nameOfKey(chat.sessionKey, snapshot.value?.mainSessionKey);
  const model = session?.chosenModel ?? session?.model;
  return (
    <>
      <button
        type="button"
        class="session-button"
        aria-haspopup="dialog"
        onClick={() => {
          open.value = "switcher";
        }}
      >
        <span class="visually-hidden">Conversation: </span>
        <span class="truncate">{name}</span>
        <Icon name="down" size={16} />
      </button>
      <span class="grow" />
      {session && can("sessions.patch") && (
        <button
          type="button"
          class="model-button"
          aria-haspopup="dialog"
          title="Model and thinking of this conversation"
          onClick={() => {
            open.value = "settings";
          }}
        >
          <Icon name="models" size={18} />
          <span class="truncate not-phone">{model?.split("/").at(-1) ?? "Model"}</span>
          <span class="visually-hidden">: change the model and how much it thinks</span>
        </button>
      )}
      {session && can("sessions.reset") && (
        <IconButton icon="plus" label="New conversation" onClick={() => void startAfresh(chat)} />
      )}
      <SessionSwitcher isOpen={open.value === "switcher"} onClose={close} sessionKey={chat.sessionKey} />
      {session && <SessionSettings isOpen={open.value === "settings"} onClose={close} session={session} />}
    </>
  );
}
