/** What has been read of each place, kept as long as nothing there has changed. One reader at a time per place. */
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import { loadScanner } from "./catalog.ts";
import { createNews, type NewsDeps } from "./news.ts";
import type { SkillPlace } from "./places.ts";
import type { KnownSkill, ScannedPlace } from "./scan-place.ts";
import { buildSighting, checkSighting, type Sighting } from "./watched-paths.ts";

export interface ShelfDeps extends NewsDeps {
  /** What lies in it is the agent's. */
  workspaceDir: string;
  channelRoot?: string | undefined;
  clock: Clock;
}

export interface Shelf {
  /** As it stands on the disk now, or stood there up to a second ago. Never rejects. */
  refresh(place: SkillPlace): Promise<ScannedPlace>;
  /** What the last refresh found; empty before the first. */
  knownAt(place: SkillPlace): readonly KnownSkill[];
  /** Resolves when nothing is being read any more. */
  idle(): Promise<void>;
}

type KnownPlace = ScannedPlace & Sighting;

/** Every channel has a place of its own; those that were not asked for the longest are forgotten. */
const maxPlaces = 200;

export function createShelf(deps: ShelfDeps): Shelf {
  const { workspaceDir, channelRoot = workspaceDir, clock } = deps;
  const known = new Map<string, KnownPlace>();
  const queue = createKeyedQueue();
  const news = createNews(deps);

  const keep = (key: string, place: KnownPlace) => {
    known.delete(key);
    known.set(key, place);
    const [oldest] = known.keys();
    if (known.size > maxPlaces && oldest !== undefined) known.delete(oldest);
  };
  const look = async (key: string, place: SkillPlace): Promise<ScannedPlace> => {
    const before = known.get(key);
    const nowMs = clock.monotonic();
    const state = await checkSighting(before, nowMs);
    if (before && (state === "fresh" || state === "same")) {
      keep(key, state === "fresh" ? before : { ...before, lookedAtMs: nowMs });
      return before;
    }
    const { scanPlace } = await loadScanner();
    const fence = place.source === "channel" ? channelRoot : workspaceDir;
    const scanned = await scanPlace(place, fence, state === "unsettled" ? undefined : before?.files);
    keep(key, { ...scanned, ...buildSighting(before, scanned.watched, nowMs) });
    await news.announce(place, scanned.skills);
    return scanned;
  };
  return {
    refresh(place) {
      const key = toKey(place);
      return queue.run(key, () => look(key, place));
    },
    knownAt: (place) => known.get(toKey(place))?.skills ?? [],
    idle: () => queue.idle(),
  };
}

const toKey = ({ source, folder }: SkillPlace) => `${source}:${folder}`;
