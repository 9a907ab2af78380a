/** Chat platforms: how each login is, who asks to be let in, and a form for another one. */
import { useState } from "preact/hooks";
import { useCall } from "../connection.ts";
import "../styles/page-parts.css";
import "../styles/channels.css";
import { ActionButton } from "../ui/action-button.tsx";
import { Await, EmptyState } from "../ui/index.ts";
import { useRefresh } from "../ui/use-tick.ts";
import { ChannelCard } from "./channels/channel-card.tsx";
import { LoginDialog } from "./channels/login-dialog.tsx";
import { People } from "./channels/people.tsx";

export function Page() {
  const channels = useCall("channels.status", {}, { refreshOn: ["channels.changed", "config.changed"] });
  const [isAdding, setAdding] = useState(false);
  // Last messages and lag are no change of state, and so no event.
  useRefresh(10_000, channels.reload);
  const add = (
    <ActionButton
      needs="channels.login"
      variant="primary"
      icon="plus"
      run={() => {
        setAdding(true);
        return undefined;
      }}
    >
      Add a login
    </ActionButton>
  );
  return (
    <div class="page-body">
      <Await of={channels}>
        {({ channels: all }) => (
          <>
            <section class="stack" aria-labelledby="logins">
              <div class="spread">
                <h2 id="logins">Logins</h2>
                {all.length > 0 && add}
              </div>
              {all.length === 0 ? (
                <EmptyState icon="channels" title="No chat platform yet" action={add}>
                  Mom can be talked to in Slack, Discord and Telegram, beside this page.
                </EmptyState>
              ) : (
                <div class="channel-grid">
                  {all.map((channel) => (
                    <ChannelCard key={channel.name} channel={channel} onChanged={channels.reload} />
                  ))}
                </div>
              )}
            </section>
            <LoginDialog
              isOpen={isAdding}
              taken={all.map(({ name }) => name)}
              onClose={() => setAdding(false)}
              onAdded={channels.reload}
            />
          </>
        )}
      </Await>
      <People />
    </div>
  );
}
