/** Who follows which session, so that a turn is told to its followers without asking everybody who is connected. */
import type { Client, Follows } from "./client.ts";

export interface Followers {
  /** As the client says now. */
  note(client: Client): void;
  drop(client: Client): void;
  of(sessionKey: string): Iterable<Client>;
}

export function createFollowers(): Followers {
  const ofAll = new Set<Client>();
  const bySession = new Map<string, Set<Client>>();
  const noted = new Map<Client, Follows>();

  const drop = (client: Client) => {
    const follows = noted.get(client) ?? [];
    noted.delete(client);
    ofAll.delete(client);
    if (follows === "all") return;
    for (const key of follows) {
      const followers = bySession.get(key);
      followers?.delete(client);
      if (followers?.size === 0) bySession.delete(key);
    }
  };
  return {
    note(client) {
      drop(client);
      const { follows } = client;
      noted.set(client, follows);
      if (follows === "all") return void ofAll.add(client);
      for (const key of follows) {
        const followers = bySession.get(key) ?? new Set();
        bySession.set(key, followers.add(client));
      }
    },
    drop,
    of: (sessionKey) => [...ofAll, ...(bySession.get(sessionKey) ?? [])],
  };
}
