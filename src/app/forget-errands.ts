/** Sessions of jobs that are no more, and of hooks that nobody calls: forgotten with what lies in their folders, a little at a time. */
import { errandAdapter } from "../base/errand-adapter.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Store } from "../contracts/store.ts";

interface ForgetDeps {
  store: Pick<Store, "sessions" | "due">;
  clock: Clock;
  /** Throws while it is busy. */
  forgetSession(sessionKey: SessionKey): Promise<unknown>;
}

const keepMs = 24 * 3600_000;
const mostAtOnce = 200;

export async function forgetErrands({ store, clock, forgetSession }: ForgetDeps): Promise<void> {
  const idle = (await store.sessions.list()).filter(
    ({ type, channel, updatedAt }) =>
      type === "cron" && channel.adapter === errandAdapter && updatedAt < clock.now() - keepMs,
  );
  for (const { sessionKey, channel } of idle.slice(-mostAtOnce)) {
    const jobId = channel.channelId.split("/").at(-1) ?? "";
    if (await store.due.get("cron", jobId)) continue;
    // Somebody works there after all: next time.
    await forgetSession(sessionKey).catch(() => undefined);
  }
}
