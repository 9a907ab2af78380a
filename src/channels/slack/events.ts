/** What comes through the socket, to whom it concerns. Acknowledged when it is safe, and at once when it concerns nobody. */
import { errorText } from "../../base/errors.ts";
import type { Log } from "../../contracts/log.ts";
import type { Envelope } from "./line.ts";
import type { Messages } from "./messages.ts";
import type { People } from "./people.ts";
import { toRecord } from "./wire.ts";

export interface EventsDeps {
  log: Log;
  messages: Messages;
  people: People;
  /** Something came: the connection is not deaf. */
  onHeard(): void;
  /** The login may have been taken away. */
  onLoginInDoubt(): void;
}

/** Never throws. */
export function createEventHandler(deps: EventsDeps): (envelope: Envelope) => void {
  const { log, messages, onHeard } = deps;
  const handle = async ({ type, body, ack }: Envelope) => {
    onHeard();
    const isSafe = await receive(deps, type, body);
    if (!isSafe) return;
    await ack().catch((error: unknown) => {
      log.debug("Slack could not be told that mom has something; it comes again", { error: errorText(error) });
    });
  };
  return (envelope) => {
    handle(envelope).catch((error: unknown) => log.error("Something from Slack was not understood", { error }));
  };

  async function receive({ people, onLoginInDoubt }: EventsDeps, type: string, body: unknown): Promise<boolean> {
    if (type === "interactive") return messages.receivePress(body);
    if (type !== "events_api") return true;
    const event = toRecord(toRecord(body)["event"]);
    const channel = toRecord(event["channel"])["id"] ?? event["channel"];
    const channelId = typeof channel === "string" ? channel : "";
    switch (event["type"]) {
      case "message":
      case "app_mention":
        return messages.receive(event);
      case "user_change":
      case "team_join":
        people.putUser(event["user"]);
        return true;
      case "channel_created":
      case "channel_rename":
      case "group_rename":
      case "channel_unarchive":
      case "member_joined_channel":
      case "im_created":
        void people.refreshChannel(channelId);
        return true;
      case "channel_left":
      case "group_left":
      case "channel_deleted":
      case "channel_archive":
        people.dropChannel(channelId);
        return true;
      case "tokens_revoked":
      case "app_uninstalled":
        onLoginInDoubt();
        return true;
      default:
        return true;
    }
  }
}
