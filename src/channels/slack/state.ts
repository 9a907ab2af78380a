/** What the adapter's health says: the connection, the login, and what is missing although both are good. */
import type { AdapterHealth } from "../../contracts/channel.ts";
import type { HealthBook } from "../kit/health.ts";
import type { Refusal, Self } from "./login.ts";
import type { LoginWatch } from "./login-watch.ts";
import { listMissingRights } from "./rights.ts";

export interface State {
  /** Of the connection. `refusal`: a person must do something. */
  set(state: AdapterHealth["state"], reason?: string, refusal?: Refusal): void;
  /** Slack brings no messages, again and again, although the connection is open. */
  setUnheard(isUnheard: boolean): void;
  /** Something else may have changed. */
  tell(): void;
}

export interface StateDeps {
  health: HealthBook;
  self: Self;
  login(): LoginWatch;
}

const unheard: Refusal = {
  message: "Slack does not send what is said in channels to mom",
  fix: 'Subscribe to the message events under "Event Subscriptions" of the app (the manifest in the README has them all), then install it again.',
};

export function createState({ health, self, login }: StateDeps): State {
  let connection: { state: AdapterHealth["state"]; reason?: string; refusal?: Refusal } = { state: "stopped" };
  let isUnheard = false;

  const tell = () => {
    const { state, reason, refusal = login().refusal } = connection;
    const account = self.account === "" ? {} : { account: self.account };
    if (state === "stopped") return health.set("stopped");
    if (refusal) return health.set("failed", { ...account, detail: refusal.message, fix: refusal.fix });
    const lack = state === "connected" ? findLack() : undefined;
    const detail = lack?.message ?? reason;
    health.set(state, { ...account, ...(detail !== undefined && { detail }), ...(lack && { fix: lack.fix }) });
  };
  const findLack = (): Refusal | undefined => {
    if (isUnheard) return unheard;
    const missing = listMissingRights(self.scopes);
    if (missing.length === 0) return undefined;
    return { message: missing.map(({ message }) => message).join("; "), fix: missing.map(({ fix }) => fix).join(" ") };
  };
  return {
    set(state, reason, refusal) {
      connection = { state, ...(reason !== undefined && { reason }), ...(refusal && { refusal }) };
      tell();
    },
    setUnheard(now) {
      if (isUnheard === now) return;
      isUnheard = now;
      tell();
    },
    tell,
  };
}
