/** The providers that have keys, each with its auth profiles; those without are named below. */
import type { ProviderSummary } from "../../../src/gateway/protocol/index.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { formatCountdown } from "../../ui/format-countdown.ts";
import { Badge, EmptyState, type Tone, When } from "../../ui/index.ts";
import { useTime } from "../../ui/use-tick.ts";

type Profile = ProviderSummary["profiles"][number];

const states: Record<Profile["state"], { word: string; tone: Tone }> = {
  ready: { word: "Ready", tone: "good" },
  cooling: { word: "Cooling down", tone: "warn" },
  disabled: { word: "Disabled", tone: "bad" },
  expired: { word: "Expired", tone: "bad" },
};
const kinds: Record<Profile["type"], string> = { api_key: "API key", token: "token", oauth: "login" };

interface ProvidersProps {
  providers: readonly ProviderSummary[];
  onAddKey(provider: string): void;
}

export function Providers({ providers, onAddKey }: ProvidersProps) {
  const known = providers.filter(({ usable, profiles }) => usable || profiles.length > 0);
  const others = providers.filter((provider) => !known.includes(provider));
  return (
    <div class="stack">
      {known.length === 0 && (
        <EmptyState icon="key" title="No keys yet">
          Add the key of a provider, or set it in the environment before mom starts.
        </EmptyState>
      )}
      {known.length > 0 && (
        <ul class="rows">
          {known.map((provider) => (
            <Provider key={provider.name} provider={provider} />
          ))}
        </ul>
      )}
      {others.length > 0 && <Others others={others} onAddKey={onAddKey} />}
    </div>
  );
}

function Provider({ provider: { name, usable, missing, profiles } }: { provider: ProviderSummary }) {
  return (
    <li class="provider">
      <div class="row">
        <h3>{name}</h3>
        {usable ? <Badge tone="good">Usable</Badge> : <Badge tone="warn">Not usable</Badge>}
      </div>
      {missing !== undefined && <p class="muted">{missing}</p>}
      {profiles.length === 0 && usable && <p class="muted">Needs no key.</p>}
      {profiles.map((profile) => (
        <ProfileRow key={profile.id} profile={profile} />
      ))}
    </li>
  );
}

function ProfileRow({ profile }: { profile: Profile }) {
  const { word, tone } = states[profile.state];
  return (
    <div class="provider-profile">
      <div class="row">
        <code>{profile.id}</code>
        <Badge tone={tone}>{word}</Badge>
        {profile.until !== undefined && <Countdown until={profile.until} />}
      </div>
      <p class="muted small">
        {kinds[profile.type]} from {profile.from}
        {" · "}
        {profile.lastUsed === undefined ? (
          "not used yet"
        ) : (
          <>
            used <When at={profile.lastUsed} />
          </>
        )}
        {profile.reason !== undefined && ` · ${profile.reason}`}
      </p>
      {profile.coolingModels.map(({ model, until }) => (
        <p key={model} class="row small">
          <code>{model}</code> <Badge tone="warn">cooling down</Badge> <Countdown until={until} />
        </p>
      ))}
    </div>
  );
}

/** Not read out while it counts. */
function Countdown({ until }: { until: number }) {
  const left = until - useTime(1000);
  return <span class="number small">{left > 0 ? `${formatCountdown(left)} left` : "over now"}</span>;
}

function Others({ others, onAddKey }: { others: readonly ProviderSummary[]; onAddKey(provider: string): void }) {
  return (
    <details class="provider-others">
      <summary>
        {others.length} {others.length === 1 ? "provider" : "providers"} without a key
      </summary>
      <ul class="rows">
        {others.map(({ name, missing }) => (
          <li key={name} class="spread">
            <div>
              <h3>{name}</h3>
              {missing !== undefined && <p class="muted small">{missing}</p>}
            </div>
            <ActionButton
              needs="models.add-key"
              size="small"
              about={`for ${name}`}
              run={() => {
                onAddKey(name);
                return undefined;
              }}
            >
              Add a key
            </ActionButton>
          </li>
        ))}
      </ul>
    </details>
  );
}
