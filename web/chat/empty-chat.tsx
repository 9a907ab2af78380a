/** A conversation in which nothing was said yet. */
import { Icon, type IconName } from "../ui/index.ts";

const suggestions: readonly { icon: IconName; title: string; text: string }[] = [
  { icon: "welcome", title: "What can you do?", text: "What can you do for me? Answer in a few lines." },
  {
    icon: "folder",
    title: "Look at my workspace",
    text: "List what is in my workspace and tell me what it seems to be for.",
  },
  { icon: "clock", title: "Set a reminder", text: "Remind me tomorrow at 9 to look at my mail." },
  { icon: "globe", title: "Read a page for me", text: "Read https://example.org and sum it up in three sentences." },
];

export function EmptyChat({ onPick }: { onPick(text: string): void }) {
  return (
    <div class="empty-chat">
      <h2>What shall we do?</h2>
      <p class="muted">Write a message, drop a file, or begin with one of these.</p>
      <ul class="suggestions">
        {suggestions.map(({ icon, title, text }) => (
          <li key={title}>
            <button type="button" class="suggestion" onClick={() => onPick(text)}>
              <Icon name={icon} />
              <span>
                <strong>{title}</strong>
                <span class="muted small">{text}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
