/** Where one writes: grows with the text, takes files, completes commands, keeps drafts. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { can, describeError, useCall } from "../connection.ts";
import { IconButton, toast } from "../ui/index.ts";
import type { Chat } from "./chat-store.ts";
import { loadDraft, saveDraft } from "./drafts.ts";
import { fillCommand, isWhole, offerCommands, slashWord } from "./slash.ts";
import { SlashList } from "./slash-list.tsx";
import { UploadList } from "./upload-list.tsx";
import type { Uploads } from "./uploads.ts";

interface ComposerProps {
  chat: Chat;
  uploads: Uploads;
  isRunning: boolean;
  onSent(): void;
  onStop(): void;
}

const listId = "slash-list";

export function Composer({ chat, uploads, isRunning, onSent, onStop }: ComposerProps) {
  const { sessionKey } = chat;
  const [text, setText] = useState(() => loadDraft(sessionKey));
  const input = useRef<HTMLTextAreaElement>(null);
  const change = useCallback(
    (next: string) => {
      setText(next);
      saveDraft(sessionKey, next);
    },
    [sessionKey],
  );
  const slash = useSlash(chat, text, input, change);
  useGrowth(input, text);
  useFocusKey(input);
  useFirstFocus(input);

  const send = () => {
    const message = text.trim();
    if (message === "" && uploads.list.value.length === 0) return;
    const uploaded = uploads.take();
    if (!uploaded) return toast("A file is still on its way, or could not be sent. Wait, or remove it.", "bad");
    change("");
    void chat.send(message, uploaded).catch((error) => toast(describeError(error), "bad"));
    onSent();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (slash.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };

  const maySend = can("chat.send");
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {slash.offered.length > 0 && <SlashList id={listId} offered={slash.offered} at={slash.at} onPick={slash.pick} />}
      <UploadList uploads={uploads} />
      <div class="composer-row">
        {can("files.upload") && <AttachButton onFiles={uploads.add} />}
        <textarea
          ref={input}
          class="composer-input"
          rows={1}
          aria-label="Message"
          aria-autocomplete="list"
          aria-controls={slash.offered.length > 0 ? listId : undefined}
          aria-activedescendant={slash.offered.length > 0 ? `${listId}-${slash.at}` : undefined}
          placeholder={maySend ? "Message mom…" : "You may read this conversation, not write in it"}
          disabled={!maySend}
          value={text}
          onInput={(event) => {
            change(event.currentTarget.value);
            slash.look();
          }}
          onKeyUp={slash.look}
          onClick={slash.look}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files;
            if (!pasted || pasted.length === 0) return;
            event.preventDefault();
            uploads.add(pasted);
          }}
        />
        {isRunning && can("chat.abort") && (
          <IconButton class="composer-stop" icon="stop" label="Stop (Esc)" onClick={onStop} />
        )}
        <IconButton
          class="composer-send"
          type="submit"
          icon="send"
          label="Send"
          disabled={!maySend || (text.trim() === "" && uploads.list.value.length === 0)}
        />
      </div>
    </form>
  );
}

function AttachButton({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files ?? []);
          currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" label="Attach files" onClick={() => chooser.current?.click()} />
    </>
  );
}

function useSlash(
  chat: Chat,
  text: string,
  input: { current: HTMLTextAreaElement | null },
  change: (text: string) => void,
) {
  const agentId = chat.session.value?.agentId;
  const mayAsk = can("chat.commands") && chat.loading.value.type !== "loading";
  const commands = useCall("chat.commands", mayAsk ? { ...(agentId !== undefined && { agentId }) } : undefined);
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Closed by Esc for this text. */
  const [closedFor, setClosedFor] = useState<string | undefined>(undefined);
  const typed = closedFor === text ? undefined : slashWord(text, Math.max(caret, 0));
  const offered = useMemo(
    () => (typed === undefined ? [] : offerCommands(commands.data?.commands ?? [], typed)),
    [typed, commands.data],
  );
  const look = () => setCaret(input.current?.selectionStart ?? 0);
  // Another word begins its list at the top.
  useEffect(() => setAt(0), [typed]);
  const pick = (index: number) => {
    const command = offered[index];
    if (!command) return;
    const filled = fillCommand(text, command.name);
    change(filled.text);
    setClosedFor(filled.text);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(filled.caret, filled.caret);
    });
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (offered.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + offered.length) % offered.length);
    else if (event.key === "Escape") setClosedFor(text);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !isWhole(offered, at, typed)))
      pick(at);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { offered, at, pick, onKey, look };
}

/** As high as its text, up to what the styles allow. */
function useGrowth(input: { current: HTMLTextAreaElement | null }, text: string): void {
  // Another text has another height.
  useLayoutEffect(() => {
    const element = input.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [input, text]);
}

/** Whoever opens a conversation wants to write, unless the focus is at work elsewhere. A phone would show its keyboard at once. */
function useFirstFocus(input: { current: HTMLTextAreaElement | null }): void {
  useEffect(() => {
    const active = document.activeElement;
    const isFree = active === null || active === document.body || active.classList.contains("session-button");
    if (isFree && matchMedia("(pointer: fine)").matches) input.current?.focus({ preventScroll: true });
  }, [input]);
}

/** `/` from anywhere on the page goes to the message, as long as nobody types elsewhere. */
function useFocusKey(input: { current: HTMLTextAreaElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [input]);
}
