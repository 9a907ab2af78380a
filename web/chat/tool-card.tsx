/** What a tool does: one line, and on demand its arguments, its output as it comes, diffs and pictures. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Badge, Code, CopyButton, formatDuration, Icon, type IconName, Spinner, type Tone } from "../ui/index.ts";
import { describeTool, diffsOf } from "./describe-tool.ts";
import { DiffView } from "./diff-view.tsx";
import type { ToolItem } from "./timeline.ts";

const icons: Readonly<Record<string, IconName>> = {
  bash: "terminal",
  process: "terminal",
  read: "file",
  write: "edit",
  edit: "edit",
  apply_patch: "edit",
  ls: "folder",
  find: "search",
  grep: "search",
  web_search: "globe",
  web_fetch: "globe",
  browser: "globe",
  image: "image",
  cron: "clock",
  message: "chat",
};

const states: Readonly<Record<ToolItem["tool"]["state"], { label: string; tone: Tone } | undefined>> = {
  running: undefined,
  waiting: { label: "waits for your word", tone: "warn" },
  done: undefined,
  failed: { label: "failed", tone: "bad" },
  interrupted: { label: "interrupted", tone: "warn" },
};

export function ToolCard({ item }: { item: ToolItem }) {
  const { tool, label } = item;
  const diffs = diffsOf(tool.details);
  const hasMore = diffs.length > 0 || (tool.images?.length ?? 0) > 0;
  const [choice, setChoice] = useState<boolean | undefined>(undefined);
  const hasLive = tool.state === "running" && tool.text !== undefined && tool.text !== "";
  const isOpen = choice ?? (hasLive || tool.state === "failed" || hasMore);
  const state = states[tool.state];
  return (
    <li class={`tool tool-${tool.state}`}>
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open !== isOpen) setChoice(currentTarget.open);
        }}
      >
        <summary>
          <Icon name={icons[tool.name] ?? "tools"} size={16} />
          <span class="tool-name">{tool.name}</span>
          <span class="tool-line truncate">{describeTool(tool.name, tool.args, label)}</span>
          {tool.state === "running" && <Spinner size={14} />}
          {state && <Badge tone={state.tone}>{state.label}</Badge>}
          {tool.durationMs !== undefined && <span class="tool-time">{formatDuration(tool.durationMs)}</span>}
          <span class="visually-hidden">{tool.state}</span>
          <Icon name="down" size={16} />
        </summary>
        {isOpen && (
          <div class="tool-body">
            <Arguments tool={tool} />
            {diffs.map(({ path, diff }, n) => (
              <DiffView key={n} path={path} diff={diff} />
            ))}
            {diffs.length === 0 && tool.text !== undefined && tool.text !== "" && (
              <Output text={tool.text} isLive={tool.state === "running"} />
            )}
            <Images tool={tool} />
          </div>
        )}
      </details>
    </li>
  );
}

/** All of what the one line cuts. Long texts that the output or a diff shows again are left out. */
function Arguments({ tool: { name, args } }: { tool: ToolItem["tool"] }) {
  const command = args["command"];
  if (name === "bash" && typeof command === "string") {
    const isWhole = !command.includes("\n") && command.length < 80;
    return isWhole ? null : <Code text={command} label="Command" isWrapped />;
  }
  const rest = Object.entries(args).filter(([key]) => !["patch", "oldText", "newText", "path"].includes(key));
  if (rest.length === 0) return null;
  return (
    <dl class="tool-args">
      {rest.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Output({ text, isLive }: { text: string; isLive: boolean }) {
  const element = useRef<HTMLPreElement>(null);
  // Each piece of output is followed to its end.
  useLayoutEffect(() => {
    if (isLive && element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [text, isLive]);
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre ref={element} class="is-wrapped tool-output" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} label="Copy the output" />
    </div>
  );
}

function Images({ tool: { name, images = [] } }: { tool: ToolItem["tool"] }) {
  const safe = images.filter(({ mimeType }) => /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType));
  return (
    <>
      {safe.map(({ data, mimeType }, n) => (
        <img key={n} class="tool-image" src={`data:${mimeType};base64,${data}`} alt={`Shown by ${name}, ${n + 1}`} />
      ))}
    </>
  );
}
