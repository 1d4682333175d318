import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { paddedTime } from "#infra/formats/facade-row.ts";
import { type FeedPosition, parsePosition } from "#services/domain/following.ts";
import type { FeedMessage } from "./feed-client.ts";

/** What a client of a feed makes of its messages: the events of the catalogue, and what it has wondered at. */
export type AppliedFeed = {
  /** By the id of the last message. */
  readonly lastId: () => string;
  /** A line for each event, by its id. */
  readonly lines: ReadonlyMap<string, string>;
  /** The last version of which it has everything. */
  readonly version: () => number;
  readonly apply: (message: FeedMessage) => void;
  /** What was lost, came twice or does not fit, in sentences. */
  readonly faults: readonly string[];
};

/** Applies the messages of one catalogue from the first version on; it needs those of `control`. */
export function createAppliedFeed(): AppliedFeed {
  const lines = new Map<string, string>();
  const faults: string[] = [];
  let at: FeedPosition = { version: 0, change: 0 };
  let lastId = "0";
  let whole = 0;

  function applyChange({ id, action, data }: FeedMessage): void {
    const eventId = data?.properties?.event_id ?? "";
    const line = lineOf(data);
    const before = lines.get(eventId);
    if ((action === "create") !== (before === undefined))
      faults.push(`${action} ${id} of ${before}`);
    if (action === "delete" && before !== line) faults.push(`delete ${id}: ${line}, not ${before}`);
    if (action === "delete") lines.delete(eventId);
    else lines.set(eventId, line);
  }

  return {
    lines,
    faults,
    lastId: () => lastId,
    version: () => whole,
    apply(message) {
      const { id, action, data } = message;
      if (action === "ready") {
        if (id !== lastId) faults.push(`ready at ${id}, not ${lastId}`);
        return;
      }
      const place = parsePosition(id) ?? { version: 0, change: 0 };
      const isNext = place.version === at.version && place.change === at.change + 1;
      const isFirst = place.version > at.version && place.change === 1 && whole === at.version;
      if (!isNext && !isFirst) faults.push(`${id} after ${lastId}`);
      at = place;
      lastId = id;
      if (action !== "version") return applyChange(message);
      whole = place.version;
      if (data?.["event_count"] !== lines.size) {
        faults.push(`version ${whole} counts ${data?.["event_count"]} events, not ${lines.size}`);
      }
    },
  };
}

function lineOf(data: FeedMessage["data"]): string {
  const properties: Readonly<Record<string, unknown>> = data?.properties ?? {};
  return ["time", "lat", "lon", "depth", "mag"].map((name) => properties[name]).join(" ");
}

/** The line of an event as the API shows it. */
export function appliedLine({ time, latitude, longitude, depth, magnitude }: SeismicEvent): string {
  return [paddedTime(time), latitude, longitude, depth, magnitude].join(" ");
}
