/** Everything that goes out to Slack, joined: posts, files, actions, and what is shown of a running turn. */
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { ChannelDeps } from "../definition.ts";
import type { Directory } from "../kit/directory.ts";
import { createPace } from "../kit/pace.ts";
import { createTurnShow } from "../kit/turn-show.ts";
import { createSlackActions, type SlackActions } from "./actions.ts";
import { createAttempts } from "./attempts.ts";
import { withoutButtons } from "./buttons.ts";
import type { SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import type { Cursors } from "./cursors.ts";
import type { Self } from "./login.ts";
import { createOutbound, type Outbound } from "./outbound.ts";
import { createPosting } from "./posting.ts";
import type { Press } from "./presses.ts";
import { createShowDriver } from "./show-driver.ts";
import { createStatus } from "./status.ts";
import { createStrays } from "./strays.ts";
import { createStreams } from "./streams.ts";
import { type Belongs, pickThread, type Threads } from "./threads.ts";

export interface SpeakingDeps extends Pick<ChannelDeps, "clock" | "log" | "memory"> {
  client: SlackClient;
  self: Self;
  threads: Threads;
  cursors: Cursors;
  directory: Directory;
  render(markdown: string): string[];
  onSent(): void;
}

export interface Speaking extends Outbound, Pick<PlatformAdapter, "showEvent"> {
  actions: SlackActions;
  /** A button was pressed: the post says by whom, and has none any more. */
  takeButtonsAway(press: Press): void;
  /** Reads what an earlier life left; before anything is sent. */
  load(): Promise<void>;
  /** Slack can be called: what an earlier life left is put in order. */
  start(): void;
  stop(): Promise<void>;
}

/** Slack allows about one post a second in a conversation, with short bursts, and some hundred a minute in all. */
const postLimits = { chat: { burst: 5, perSecond: 1 }, all: { burst: 300, perSecond: 10 } };
/** Slack allows about fifty changes a minute. */
const changeEveryMs = 1_500;

export function createSpeaking(deps: SpeakingDeps, config: SlackConfig): Speaking {
  const { clock, log, client, threads, directory, render } = deps;
  const threadOf = (belongs: Belongs) =>
    pickThread(belongs, {
      threads,
      replies: config.replies,
      isDirect: directory.channel(belongs.channelId)?.type === "dm" || belongs.channelId.startsWith("D"),
    });
  const pace = createPace({ clock }, postLimits);
  const attempts = createAttempts(deps);
  const streams = createStreams(deps);
  const posting = createPosting({ client, log, streams });
  const status = createStatus(deps);
  const strays = createStrays({ ...deps, posting });
  const { rootOf } = threads;
  const driver = createShowDriver({ ...deps, posting, streams, status, strays, threadOf, rootOf });
  const show = createTurnShow({ ...deps, driver, pace, render }, { ...config, everyMs: changeEveryMs });
  const outbound = createOutbound({ ...deps, attempts, posting, pace, show, status, threadOf, rootOf });

  return {
    ...outbound,
    actions: createSlackActions({ client, rootOf, render }),
    showEvent: show.show,
    takeButtonsAway({ post: { channelId: channel, ts, text }, blocks, userId, label }) {
      // Whoever else presses has no word in it, and must not take the buttons from those who have.
      if (!config.admins.includes(userId)) return;
      const call = { channel, ts, text, blocks: withoutButtons(blocks, userId, label) };
      // The blocks are Slack's own, given back.
      void client.call((web) => web.chat.update(call as Parameters<typeof web.chat.update>[0]));
    },
    async load() {
      await attempts.load();
      await show.start();
    },
    start() {
      strays.start().catch((error: unknown) => log.warn("Live posts on Slack could not be looked for", { error }));
    },
    async stop() {
      pace.stop();
      strays.stop();
      await show.stop();
    },
  };
}
