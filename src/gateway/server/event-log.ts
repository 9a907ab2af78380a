/**
 * Everything that was told, numbered without a hole and written out once for all who are told. The newest stay here for those
 * who come back. One life of the server is one sequence: ids of another are never taken for ours.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import { createQuickCheck } from "../methods/quick-check.ts";
import type { EventLog } from "../parts.ts";
import { type EventName, eventSpecs, type Payload } from "../protocol/index.ts";

export interface EventRecord {
  event: EventName;
  sessionKey?: SessionKey;
  /** The frame as it is sent. Absent: it is not told again later. */
  frame?: Buffer;
}

export interface ServerEventLog extends EventLog {
  /** What was told after this id. Undefined: some of it is gone, or the id is not of this life. */
  after(id: string): EventRecord[] | undefined;
  /**
   * A frame that stands outside the sequence: it carries the number of the event before it and is not kept. Undefined: it is not
   * as the protocol says. Logs nothing, for lines of the log go through here.
   */
  buildLoose<Name extends EventName>(event: Name, payload: Payload<Name>): Buffer | undefined;
  readonly count: number;
}

interface EventLogDeps {
  clock: Clock;
  log: Log;
  /** Told of each event, in order. */
  deliver(record: Required<Pick<EventRecord, "frame">> & EventRecord): void;
}

const usualLimits = { events: 2000, bytes: 4 * 1024 * 1024 };
/** Only the newest of these says anything: whoever comes back is not told the old ones. */
const passing: readonly EventName[] = ["presence"];
/** What a record takes beside its frame. */
const recordBytes = 200;

export function createEventLog({ clock, log, deliver }: EventLogDeps, limits = usualLimits): ServerEventLog {
  const quickCheck = createQuickCheck();
  const life = randomBytes(6).toString("hex");
  const kept: EventRecord[] = [];
  let keptBytes = 0;
  let last = 0;

  const build = (event: EventName, payload: unknown, id: number, sessionKey?: SessionKey): Buffer =>
    Buffer.from(
      JSON.stringify({
        id: `${life}-${id}`,
        type: "event",
        at: clock.now(),
        event,
        payload,
        ...(sessionKey !== undefined && { sessionKey }),
      }),
    );
  const keep = (record: EventRecord) => {
    kept.push(record);
    keptBytes += weigh(record);
    while (kept.length > limits.events || keptBytes > limits.bytes) {
      const dropped = kept.shift();
      if (!dropped) return;
      keptBytes -= weigh(dropped);
    }
  };
  const publish: EventLog["publish"] = (event, payload, sessionKey) => {
    const checked = quickCheck(eventSpecs[event].payload, payload);
    if (checked.type === "invalid") {
      return log.error("An event was not as the protocol says; nobody was told", { event, problems: checked.problems });
    }
    const about = { event, ...(sessionKey !== undefined && { sessionKey }) };
    const frame = build(event, payload, last + 1, sessionKey);
    last++;
    keep(passing.includes(event) ? about : { ...about, frame });
    deliver({ ...about, frame });
  };

  return {
    get lastId() {
      return `${life}-${last}`;
    },
    get count() {
      return last;
    },
    // The house waits for whoever tells: what goes wrong here is not its business.
    publish(event, payload, sessionKey) {
      try {
        publish(event, payload, sessionKey);
      } catch (error) {
        log.error("An event could not be told", { event, error });
      }
    },
    after(id) {
      const number = Number(/^([0-9a-f]+)-(\d{1,15})$/.exec(id)?.[2] ?? Number.NaN);
      if (!id.startsWith(`${life}-`) || !(number <= last) || number < last - kept.length) return undefined;
      return number === last ? [] : kept.slice(number - last);
    },
    buildLoose(event, payload) {
      if (quickCheck(eventSpecs[event].payload, payload).type === "invalid") return undefined;
      try {
        return build(event, payload, last);
      } catch {
        return undefined;
      }
    },
  };
}

const weigh = ({ frame, sessionKey }: EventRecord) => recordBytes + (frame?.length ?? 0) + (sessionKey?.length ?? 0);
