import { excludeSystemEvents, START as FROM_START } from "@eventstore/db-client";
import type { Position } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { fromPosition, toPosition } from "./position.ts";
import { toRecordedEvent } from "./recorded-event.ts";
import { createSentQueue, type SentQueue } from "./sent-queue.ts";

/** A subscription of the client until it breaks, with everything it sends in order. */
export type Feed = Pick<SentQueue, "wait"> & {
  take: SentQueue["take"];
  close(): void;
};

/** Of 32 events each: tells where a subscriber stands that is sent nothing for long. */
const CHECKPOINT_INTERVAL = 8;

/**
 * Subscribes to the events after a position, without the server's own. The types are left to the
 * subscriber: of a log filtered by type the server says only now and then how far it has looked,
 * and whoever waits for a position would wait for that.
 */
export function openFeed({ client, credentials }: Connection, after: Position): Feed {
  const queue = createSentQueue();
  const subscription = client.subscribeToAll({
    fromPosition: fromPosition(after) ?? FROM_START,
    credentials,
    filter: excludeSystemEvents({
      checkpointInterval: CHECKPOINT_INTERVAL,
      // The client calls this ahead of events that are still in its buffer.
      checkpointReached: (_, place) => {
        fill(() => true);
        put(() => ({ checkpoint: toPosition(place) }));
      },
    }),
  });

  function fill(wanted: () => boolean): void {
    while (wanted()) {
      const resolved = subscription.read();
      if (resolved === null) return;
      if (resolved.event) put(() => ({ event: toRecordedEvent(resolved.event) }));
    }
  }

  /** What cannot be read ends the feed: thrown here it would end the process. */
  function put(make: () => Parameters<SentQueue["put"]>[0]): void {
    try {
      queue.put(make());
    } catch (error) {
      queue.end(error);
    }
  }

  const fillToBatch = (): void => fill(() => !queue.isFull());
  subscription.on("readable", fillToBatch);
  subscription.on("end", () => queue.end());
  subscription.on("close", () => queue.end());
  // Stays for good: the client may report an error after the end, and an unheard one is fatal.
  subscription.on("error", (error) => queue.end(error));

  return {
    wait: queue.wait,
    take() {
      const taken = queue.take();
      fillToBatch();
      return taken;
    },
    close() {
      subscription.destroy();
      void subscription.unsubscribe().catch(() => {});
    },
  };
}
