/** One login to a chat platform: how it is, in a word and a colour, and what to do where it is not well. */
import type { ChannelStatus } from "../../../src/gateway/protocol/index.ts";
import { call, newKey } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Badge, formatDuration, Note, type Tone, When } from "../../ui/index.ts";

const states: Record<ChannelStatus["state"], { word: string; tone: Tone }> = {
  connected: { word: "Connected", tone: "good" },
  starting: { word: "Starting", tone: "accent" },
  reconnecting: { word: "Reconnecting", tone: "warn" },
  failed: { word: "Failed", tone: "bad" },
  stopped: { word: "Stopped", tone: "neutral" },
};

/** Mom's own: there is no login to end. */
const ownPlaces: ReadonlySet<string> = new Set(["webchat", "cli"]);

export function ChannelCard({ channel, onChanged }: { channel: ChannelStatus; onChanged(): void }) {
  const { word, tone } = states[channel.state];
  return (
    <section class="card channel-card" aria-label={`${channel.label} ${channel.name}`}>
      <header class="spread">
        <h3 class="channel-name">
          {channel.label} {channel.name !== channel.type && <span class="muted">{channel.name}</span>}
        </h3>
        <Badge tone={tone}>{word}</Badge>
      </header>
      {(channel.detail !== undefined || channel.fix !== undefined) && (
        <Note tone={channel.state === "failed" ? "bad" : channel.state === "connected" ? "neutral" : "warn"}>
          {channel.detail !== undefined && <p>{channel.detail}</p>}
          {channel.fix !== undefined && <p class="channel-fix">{channel.fix}</p>}
        </Note>
      )}
      <Facts
        of={[
          ["Account", channel.account],
          ["Last message in", channel.lastInboundAt === undefined ? "none yet" : <When at={channel.lastInboundAt} />],
          [
            "Last message out",
            channel.lastOutboundAt === undefined ? "none yet" : <When at={channel.lastOutboundAt} />,
          ],
          ["Lag", channel.lagMs === undefined ? undefined : formatDuration(channel.lagMs)],
          ["Reconnects", channel.reconnects],
          ["Who may talk", channel.access],
        ]}
      />
      {!ownPlaces.has(channel.type) && <LogOut channel={channel} onChanged={onChanged} />}
    </section>
  );
}

function LogOut({ channel: { name, label }, onChanged }: { channel: ChannelStatus; onChanged(): void }) {
  const logOut = async () => {
    await call("channels.logout", { name, idempotencyKey: newKey() });
    onChanged();
    return `${name} is logged out.`;
  };
  return (
    <div class="form-buttons">
      <ActionButton
        needs="channels.logout"
        size="small"
        about={name}
        run={logOut}
        ask={{
          title: `Log out of ${label}?`,
          text: `Mom no longer hears or answers on "${name}". Conversations are kept.`,
          action: "Log out",
          isDangerous: true,
        }}
      >
        Log out…
      </ActionButton>
    </div>
  );
}
