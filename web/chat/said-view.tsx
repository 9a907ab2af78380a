/** Something that a person or mom said. */
import { Markdown } from "../markdown/markdown.tsx";
import { Badge, Button, CopyButton, formatMoment, formatTime, Icon, Note } from "../ui/index.ts";
import { FileView } from "./file-view.tsx";
import type { SaidItem } from "./timeline.ts";

interface SaidProps {
  item: SaidItem;
  onSendAgain(key: string): void;
  onDiscard(key: string): void;
}

export function SaidView({ item, onSendAgain, onDiscard }: SaidProps) {
  const isUser = item.role === "user";
  return (
    <li class={`said said-${item.role}`}>
      <h2 class="visually-hidden">{isUser ? (item.sender ?? "You") : "mom"} said</h2>
      {isUser && <Origin item={item} />}
      {!isUser && item.thinking !== undefined && item.thinking.trim() !== "" && <Thinking item={item} />}
      <div class="said-body">
        {item.isPartial && <p class="muted small">The beginning of this is on its way.</p>}
        {item.text !== "" && (
          <Markdown text={item.text} style={isUser ? "message" : "answer"} isGrowing={item.isStreaming} />
        )}
        <Files item={item} />
      </div>
      {item.error !== undefined && <Note tone="bad">{item.error}</Note>}
      {item.sending?.state === "failed" && (
        <Failed
          error={item.sending.error ?? ""}
          keyOf={item.sending.key}
          onSendAgain={onSendAgain}
          onDiscard={onDiscard}
        />
      )}
      <Footer item={item} />
    </li>
  );
}

function Origin({ item: { sender, place } }: { item: SaidItem }) {
  if (sender === undefined && place === undefined) return null;
  return (
    <div class="said-origin">
      {sender !== undefined && <strong>{sender}</strong>}
      {place !== undefined && <Badge>{place}</Badge>}
    </div>
  );
}

function Thinking({ item: { thinking = "", text, isStreaming } }: { item: SaidItem }) {
  const isThinking = isStreaming === true && text === "";
  return (
    <details class="thinking">
      <summary>
        <Icon name="right" size={16} />
        {isThinking ? <span class="shimmer">Thinking…</span> : "Thought about it"}
      </summary>
      <div class="thinking-text">
        <Markdown text={thinking} style="answer" isGrowing={isStreaming} />
      </div>
    </details>
  );
}

function Files({ item: { attachments = [], files = [] } }: { item: SaidItem }) {
  if (attachments.length + files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {attachments.map(({ filename, path, mimeType, size }) => (
        <FileView
          key={path + filename}
          filename={filename}
          mimeType={mimeType}
          size={size}
          source={path === "" ? undefined : { path }}
        />
      ))}
      {files.map(({ filename, deliveryId }) => (
        <FileView key={deliveryId} filename={filename} source={{ deliveryId }} />
      ))}
    </ul>
  );
}

interface FailedProps {
  error: string;
  keyOf: string;
  onSendAgain(key: string): void;
  onDiscard(key: string): void;
}

function Failed({ error, keyOf, onSendAgain, onDiscard }: FailedProps) {
  return (
    <div class="said-failed" role="alert">
      <Icon name="warning" size={16} />
      <span>Not sent: {error}</span>
      <Button size="small" onClick={() => onSendAgain(keyOf)}>
        Send again
      </Button>
      <Button size="small" variant="ghost" onClick={() => onDiscard(keyOf)}>
        Discard
      </Button>
    </div>
  );
}

function Footer({ item: { at, text, model, role, isStreaming, sending } }: { item: SaidItem }) {
  if (isStreaming || sending?.state === "failed" || (text === "" && role === "assistant")) return null;
  return (
    <div class="said-foot">
      {sending ? <span>Sending…</span> : at > 0 && <time title={formatMoment(at)}>{formatTime(at)}</time>}
      {role === "assistant" && model !== undefined && <span class="said-model truncate">{model}</span>}
      {text !== "" && <CopyButton text={text} label="Copy the message" />}
    </div>
  );
}
