/** A login that Slack has stopped accepting while mom runs: remembered, told, and tried again now and then. */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { explainRefusal, type Refusal, type WhoAnswer } from "./login.ts";

export interface LoginWatch {
  /** Some call found out. */
  refused(error: string): void;
  /** Absent: the login is good, as far as anybody knows. */
  readonly refusal: Refusal | undefined;
  stop(): void;
}

export interface LoginWatchDeps {
  clock: Clock;
  log: Log;
  ask(): Promise<WhoAnswer>;
  onChange(): void;
}

const askEveryMs = 300_000;

export function createLoginWatch({ clock, log, ask, onChange }: LoginWatchDeps): LoginWatch {
  let refusal: Refusal | undefined;
  let cancel = () => {};
  let isStopped = false;

  const askAgain = async () => {
    const answer = await ask();
    if (isStopped) return;
    if (answer.type !== "known") return wait();
    refusal = undefined;
    log.info("Slack accepts mom's login again");
    onChange();
  };
  const wait = () => {
    cancel();
    cancel = clock.after(askEveryMs, () => void askAgain());
  };
  return {
    refused(error) {
      if (refusal || isStopped) return;
      refusal = explainRefusal({ type: "login", error }, "bot");
      log.error("Slack does not accept mom's login any more", { error, ...refusal });
      onChange();
      wait();
    },
    get refusal() {
      return refusal;
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
