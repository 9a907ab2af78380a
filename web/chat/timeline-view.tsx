/** The conversation: items in order, questions at the end. What did not change is not drawn again. */
import type { VNode } from "preact";
import { useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { describeError } from "../connection.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { href } from "../router.ts";
import { Button, Icon, Spinner, toast } from "../ui/index.ts";
import { ApprovalCard } from "./approval-card.tsx";
import type { Chat } from "./chat-store.ts";
import { SaidView } from "./said-view.tsx";
import type { Item, NoteItem } from "./timeline.ts";
import { ToolCard } from "./tool-card.tsx";

/** Drawn at once; more on demand. */
const page = 100;

export function TimelineView({ chat }: { chat: Chat }) {
  const { items, approvals, isCut, turns, activity } = chat.timeline.value;
  const [shownCount, setShownCount] = useState(page);
  const shown = items.length > shownCount ? items.slice(-shownCount) : items;
  const views = useViews(shown, chat);
  const isRunning = turns.some(({ state }) => state === "running");
  return (
    <>
      <Earlier
        chat={chat}
        hidden={items.length - shown.length}
        isCut={isCut}
        onMore={() => setShownCount((before) => before + page)}
      />
      <ol class="timeline">{views}</ol>
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      {isRunning && approvals.length === 0 && <Activity text={activity} last={items.at(-1)} />}
    </>
  );
}

/** One view per item, kept as long as the item is the same object: Preact skips those. */
function useViews(items: readonly Item[], chat: Chat): VNode[] {
  const kept = useRef(new Map<Item, VNode>());
  return useMemo(() => {
    const next = new Map(items.map((item) => [item, kept.current.get(item) ?? toView(item, chat)]));
    kept.current = next;
    return [...next.values()];
  }, [items, chat]);
}

const toView = (item: Item, chat: Chat): VNode => <ItemView key={item.id} item={item} chat={chat} />;

/** What cannot be drawn is shown as plain text, and the rest of the conversation stays. */
function ItemView({ item, chat }: { item: Item; chat: Chat }) {
  const [error] = useErrorBoundary((cause) => console.warn("An item of the conversation cannot be drawn.", cause));
  if (error !== undefined) return <PlainItem item={item} />;
  if (item.type === "tool") return <ToolCard item={item} />;
  if (item.type === "note") return <NoteView item={item} />;
  return <SaidView item={item} onSendAgain={chat.sendAgain} onDiscard={chat.discard} />;
}

function PlainItem({ item }: { item: Item }) {
  if (item.type === "tool")
    return <li class="note-line note-line-bad">The use of {item.tool.name} cannot be shown.</li>;
  return (
    <li class={item.type === "said" ? `said said-${item.role}` : "note-line"}>
      <p class="markdown-plain">{item.text}</p>
    </li>
  );
}

function NoteView({ item: { text, tone } }: { item: NoteItem }) {
  const isLong = text.length > 160 || text.includes("\n");
  if (!isLong) return <li class={`note-line note-line-${tone}`}>{text}</li>;
  return (
    <li class={`note-line note-line-${tone}`}>
      <details class="thinking">
        <summary>
          <Icon name="right" size={16} />
          {text.split("\n", 1)[0]?.slice(0, 160)}
        </summary>
        <div class="thinking-text">
          <Markdown text={text} style="answer" />
        </div>
      </details>
    </li>
  );
}

interface EarlierProps {
  chat: Chat;
  /** Loaded and not drawn. */
  hidden: number;
  isCut: boolean;
  onMore(): void;
}

function Earlier({ chat, hidden, isCut, onMore }: EarlierProps) {
  const [isBusy, setBusy] = useState(false);
  const [isTried, setTried] = useState(false);
  if (hidden <= 0 && !isCut) return null;
  const load = async () => {
    setBusy(true);
    await chat.loadEarlier().catch((error) => toast(describeError(error), "bad"));
    setBusy(false);
    setTried(true);
    onMore();
  };
  return (
    <div class="earlier">
      {hidden > 0 || !isTried ? (
        <Button size="small" variant="ghost" icon="up" isBusy={isBusy} onClick={hidden > 0 ? onMore : load}>
          Show earlier messages
        </Button>
      ) : (
        <a href={href("sessions", chat.sessionKey)}>Older messages are in the transcript</a>
      )}
    </div>
  );
}

/** Something happens, though nothing of it can be seen yet. */
function Activity({ text, last }: { text: string | undefined; last: Item | undefined }) {
  const isSeen =
    (last?.type === "said" && last.isStreaming && (last.text !== "" || last.thinking !== undefined)) ||
    (last?.type === "tool" && last.tool.state === "running");
  if (isSeen && text === undefined) return null;
  return (
    <div class="activity">
      <Spinner size={16} label={text ?? "Working…"} />
    </div>
  );
}
