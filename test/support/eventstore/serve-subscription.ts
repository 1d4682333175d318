import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import streams, {
  type ReadReq,
  type ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import { eventFilter } from "./event-filter.ts";
import type { EventStore } from "./event-store.ts";
import type { Faults } from "./faults.ts";
import { checkpointMessage, eventMessage, streamName } from "./messages.ts";
import type { StoredEvent } from "./stored-event.ts";

export type ServeOptions = {
  readonly store: EventStore;
  readonly faults: Pick<Faults, "checkpointsAhead">;
  readonly options: ReadReq.Options;
  /** Resolves when more can be sent. */
  readonly write: (message: ReadResp) => Promise<void>;
  /** Aborts when the subscription is over. */
  readonly ended: AbortSignal;
};

/** Nothing is missed without it. */
const LOOK_AGAIN_MS = 60_000;

/** Looked at in one go; then other calls have their turn. */
const PAGE_EVENTS = 32;

/** Sends what a subscription is for: what is there, then whatever comes. */
export async function serveSubscription({
  store,
  faults,
  options,
  write,
  ended,
}: ServeOptions): Promise<void> {
  const { isWanted, checkpointEvery } = eventFilter(options);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  await write(new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(randomUUID())));
  let next = firstIndex(store.all, options);
  let looked = 0;
  let isCaughtUp = false;
  while (!ended.aborted) {
    const version = store.changes.version();
    const page = store.all.slice(next, next + PAGE_EVENTS);
    const last = page.at(-1);
    if (last && faults.checkpointsAhead) await write(checkpointMessage(last.position));
    for (const event of page) {
      if (isWanted(event)) await write(eventMessage(event));
      looked += 1;
      if (looked % checkpointEvery === 0) await write(checkpointMessage(event.position));
    }
    next += page.length;
    if (last) await setImmediate();
    else {
      const caughtUp = new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
      if (!isCaughtUp) await write(caughtUp);
      isCaughtUp = true;
      await store.changes.wait(version, LOOK_AGAIN_MS, ended);
    }
  }
}

/** The index in all events of the first that comes after where a subscription begins. */
function firstIndex(all: readonly StoredEvent[], options: ReadReq.Options): number {
  const stream = options.getStream();
  const position = options.getAll()?.getPosition();
  if (stream?.hasEnd() || options.getAll()?.hasEnd()) return all.length;
  if (stream?.hasRevision()) {
    const name = streamName(stream.getStreamIdentifier());
    const from = Number(stream.getRevision());
    const last = all.findLastIndex((event) => event.stream === name && event.revision <= from);
    return last + 1;
  }
  if (!position) return 0;
  const after = BigInt(position.getCommitPosition());
  return all.findLastIndex((event) => event.position <= after) + 1;
}
