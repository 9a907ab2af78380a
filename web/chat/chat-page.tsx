/** The chat page: the conversation, what waits, and the field to write in. */
import { useEffect, useMemo } from "preact/hooks";
import { can, describeError } from "../connection.ts";
import { useActions } from "../shell/actions.ts";
import { announce, Button, ErrorNote, Spinner, toast } from "../ui/index.ts";
import type { Chat } from "./chat-store.ts";
import { Composer } from "./composer.tsx";
import { currentChat } from "./current-chat.ts";
import { EmptyChat } from "./empty-chat.tsx";
import { startAfresh } from "./new-conversation.ts";
import { Queue } from "./queue.tsx";
import { TimelineView } from "./timeline-view.tsx";
import { createUploads } from "./uploads.ts";
import { useDrop } from "./use-drop.ts";
import { useStick } from "./use-stick.ts";

export function Page() {
  const chat = currentChat.value;
  return chat ? <ChatView key={chat.sessionKey} chat={chat} /> : null;
}

function ChatView({ chat }: { chat: Chat }) {
  useEffect(() => chat.open(), [chat]);
  const uploads = useMemo(() => createUploads(chat.sessionKey), [chat]);
  const { turns, items } = chat.timeline.value;
  const isRunning = turns.length > 0;
  const loading = chat.loading.value;
  const stick = useStick(loading.type);
  const isDropping = useDrop(can("files.upload") ? uploads.add : undefined);
  const stop = () => {
    chat.stop().then(
      (stopped) => stopped === 0 && toast("Nothing was running"),
      (error) => toast(describeError(error), "bad"),
    );
  };
  useStopKey(isRunning && can("chat.abort") ? stop : undefined);
  useSpokenReplies(chat);
  useActions([
    ...(can("sessions.reset")
      ? [{ id: "new", title: "New conversation", icon: "plus" as const, run: () => void startAfresh(chat) }]
      : []),
    ...(isRunning ? [{ id: "stop", title: "Stop the running turn", icon: "stop" as const, run: stop }] : []),
  ]);
  const isEmpty = loading.type === "ready" && items.length === 0 && turns.length === 0;
  return (
    <div class="chat">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="chat-scroll" ref={stick.scroller} tabIndex={0} aria-label="Conversation">
        <div class="chat-column" ref={stick.content}>
          {loading.type === "loading" && (
            <div class="loading">
              <Spinner label="Loading the conversation…" />
            </div>
          )}
          {loading.type === "failed" && <ErrorNote error={loading.error} onRetry={() => void chat.reload()} />}
          {isEmpty && <EmptyChat onPick={(text) => void chat.send(text, [])} />}
          <TimelineView chat={chat} />
        </div>
      </section>
      <div class="chat-dock">
        {stick.isAway && (
          <Button class="jump" size="small" icon="jump" onClick={stick.jump}>
            Jump to latest
          </Button>
        )}
        <Queue turns={turns} onStop={can("chat.abort") ? stop : undefined} />
        <Composer chat={chat} uploads={uploads} isRunning={isRunning} onSent={stick.jump} onStop={stop} />
      </div>
      {isDropping && (
        <div class="drop-here" aria-hidden="true">
          Drop files to send them
        </div>
      )}
    </div>
  );
}

/** Esc stops what runs; dialogs and lists take their Esc first. */
function useStopKey(stop: (() => void) | undefined): void {
  useEffect(() => {
    if (!stop) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      stop();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}

const longestSpoken = 600;

/** A finished reply is read out; the pieces of a growing one are not. */
function useSpokenReplies(chat: Chat): void {
  const { items } = chat.timeline.value;
  const last = items.at(-1);
  const text =
    last?.type === "said" && last.role === "assistant" && last.turnId !== undefined && !last.isStreaming
      ? last.text
      : "";
  useEffect(() => {
    if (text !== "") announce(`mom: ${text.slice(0, longestSpoken)}`);
  }, [text]);
}
