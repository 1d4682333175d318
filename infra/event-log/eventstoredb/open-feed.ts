import {
  excludeSystemEvents,
  START as FROM_START,
  type RecordedEvent as StoredEvent,
} from "@eventstore/db-client";
import type { Position } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { fromPosition } from "./position.ts";
import { toRecordedEvent } from "./recorded-event.ts";
import { createSentQueue, type SentQueue } from "./sent-queue.ts";

/** A subscription of the client until it breaks, with everything it sends in order. */
export type Feed = Pick<SentQueue, "wait"> & {
  take: SentQueue["take"];
  close(): void;
};

/**
 * Subscribes to the events after a position, without the server's own. The types are left to the
 * subscriber: of a log filtered by type the server says only now and then how far it has looked, and
 * a writer that waits for its position would wait for that. How far the server has looked among its
 * own events is not asked either: a checkpoint is the place of an event that can be found again.
 */
export function openFeed({ client, credentials }: Connection, after: Position): Feed {
  const queue = createSentQueue();
  const subscription = client.subscribeToAll({
    fromPosition: fromPosition(after) ?? FROM_START,
    credentials,
    filter: excludeSystemEvents(),
  });

  function fill(): void {
    while (!queue.isFull()) {
      const resolved = subscription.read();
      if (resolved === null) return;
      if (resolved.event) put(resolved.event);
    }
  }

  /** An event that cannot be read ends the feed: thrown here it would end the process. */
  function put(event: StoredEvent): void {
    try {
      queue.put(toRecordedEvent(event));
    } catch (error) {
      queue.end(error);
    }
  }

  subscription.on("readable", fill);
  subscription.on("end", () => queue.end());
  subscription.on("close", () => queue.end());
  // Stays for good: the client may report an error after the end, and an unheard one is fatal.
  subscription.on("error", (error) => queue.end(error));

  return {
    wait: queue.wait,
    take() {
      const taken = queue.take();
      fill();
      return taken;
    },
    close() {
      subscription.destroy();
      void subscription.unsubscribe().catch(() => {});
    },
  };
}
