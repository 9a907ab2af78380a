/** A chat: one channel on one adapter. */
export interface ChannelRef {
  adapter: string;
  channelId: string;
}
