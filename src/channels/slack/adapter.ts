/** The Slack adapter: joins the connection, what comes in through it, and the calls that go out. */
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { ChannelDeps } from "../definition.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import { createDirectory } from "../kit/directory.ts";
import { createHandlers } from "../kit/handlers.ts";
import { createHealthBook } from "../kit/health.ts";
import { createOffer } from "../kit/offer.ts";
import type { SlackActions } from "./actions.ts";
import { slackCapabilities } from "./capabilities.ts";
import { createSlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { createCursors } from "./cursors.ts";
import { toSendResult } from "./fault.ts";
import { createRender } from "./format.ts";
import { createListening } from "./listening.ts";
import { askWhoWeAre, ensureTokenKinds, type Self, toLoginError } from "./login.ts";
import { createLoginWatch } from "./login-watch.ts";
import { createPeople } from "./people.ts";
import { ensureRights } from "./rights.ts";
import { createSpeaking } from "./speaking.ts";
import { createState } from "./state.ts";
import { createThreads } from "./threads.ts";

export interface SlackAdapter extends PlatformAdapter {
  actions: SlackActions;
}

type SlackDeps = Pick<ChannelDeps, "clock" | "log" | "memory" | "saveAttachment"> & { name: string };

export function createSlackAdapter(deps: SlackDeps, config: SlackConfig): SlackAdapter {
  const { name, clock, log, memory } = deps;
  /** Filled in when Slack has said who we are; nothing is heard or said before. */
  const self: Self = { userId: "", botId: "", teamId: "", username: "", account: "" };
  const handlers = createHandlers(name);
  const health = createHealthBook({ clock });
  const offer = createOffer({ clock, log, handle: handlers.handle });
  const client = createSlackClient({ clock, log, onLoginRefused: (error) => login.refused(error) }, config);
  const directory = createDirectory();
  const people = createPeople({ clock, log, client, directory });
  const threads = createThreads();
  const cursors = createCursors({ clock, log, memory });
  const state = createState({ health, self, login: () => login });
  const login = createLoginWatch({ clock, log, ask: () => askWhoWeAre(client), onChange: state.tell });
  const render = createRender(directory);
  const shared = { clock, log, memory, client, self, people, threads, cursors, directory, render };
  const speaking = createSpeaking({ ...shared, onSent: health.sent }, config);
  const listening = createListening(
    {
      ...shared,
      offer,
      state,
      saveAttachment: deps.saveAttachment,
      // A refusal is told by the call itself.
      onLoginInDoubt: () => void askWhoWeAre(client),
      onReconnected: health.reconnected,
      onPressed: speaking.takeButtonsAway,
    },
    config,
  );

  /** Tries until Slack can be reached; throws when it will not have us. */
  async function logIn(): Promise<void> {
    for (let attempt = 1; !client.signal.aborted; attempt++) {
      const answer = await askWhoWeAre(client);
      if (answer.type === "known") {
        Object.assign(self, answer.self);
        return ensureRights(self.scopes);
      }
      const error = toLoginError(answer, "bot");
      if (error) throw error;
      const { reason } = toSendResult(answer);
      state.set("reconnecting", reason);
      log.warn("Slack is out of reach; trying again", { reason, attempt });
      const askedMs = answer.type === "limited" ? answer.retryAfterMs : 0;
      await clock.sleep(Math.max(askedMs, pickBackOffMs(attempt)), client.signal).catch(() => undefined);
    }
  }
  async function stop(): Promise<void> {
    offer.stop();
    login.stop();
    people.stop();
    client.stop();
    await listening.stop();
    await speaking.stop();
    await cursors.stop();
    state.set("stopped");
  }

  return {
    name,
    type: "slack",
    capabilities: slackCapabilities,
    actions: speaking.actions,
    async start() {
      handlers.ensureWired();
      ensureTokenKinds(config);
      state.set("starting");
      await logIn();
      if (client.signal.aborted) return;
      await cursors.load();
      await speaking.load();
      await listening.start();
      if (client.signal.aborted) return;
      people.start();
      speaking.start();
    },
    stop,
    getChannels: () => {
      const members = new Set(people.members());
      return directory.channels().filter(({ id }) => members.has(id));
    },
    getUsers: directory.users,
    getChannelInfo: directory.channel,
    getUserInfo: directory.user,
    onMessage: handlers.onMessage,
    onStop: handlers.onStop,
    render,
    sendMessage: speaking.sendMessage,
    updateMessage: speaking.updateMessage,
    deleteMessage: speaking.deleteMessage,
    uploadFile: speaking.uploadFile,
    act: speaking.act,
    settle: speaking.settle,
    showEvent: speaking.showEvent,
    health: () => health.toHealth(offer),
  };
}
