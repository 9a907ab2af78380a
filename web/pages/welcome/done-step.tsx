/** Last step: what to try first. Leaving it ends the welcome for good. */
import { useState } from "preact/hooks";
import { Button, Icon } from "../../ui/index.ts";

/** Things that the built-in helper can do as well. */
const suggestions = ["What can you do?", "List the files in your workspace", "Remind me in 10 minutes to stretch"];

export function DoneStep({
  dataDir,
  onBack,
  onFinish,
}: {
  dataDir: string;
  onBack(): void;
  onFinish(draft?: string): Promise<void>;
}) {
  const [isBusy, setBusy] = useState(false);
  const finish = async (draft?: string) => {
    setBusy(true);
    await onFinish(draft);
    setBusy(false);
  };
  return (
    <div class="stack">
      <p>That is all. Try one of these, or write whatever you like.</p>
      <ul class="welcome-suggestions">
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" disabled={isBusy} onClick={() => finish(text)}>
              <Icon name="chat" size={18} />
              {text}
            </button>
          </li>
        ))}
      </ul>
      <p class="muted small">
        Everything that mom keeps is in <code>{dataDir}</code>. What was set up here can be changed under Models,
        Channels and Config.
      </p>
      <div class="welcome-foot">
        <Button variant="ghost" icon="left" onClick={onBack}>
          Back
        </Button>
        <Button variant="primary" isBusy={isBusy} onClick={() => finish()}>
          Open the chat
        </Button>
      </div>
    </div>
  );
}
