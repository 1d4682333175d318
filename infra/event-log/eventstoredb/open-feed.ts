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

/** One subscription of the client until it breaks, with its events in order. */
export type Feed = Pick<SentQueue, "wait"> & {
  take: SentQueue["take"];
  close(): void;
};

/**
 * Subscribes to the events after a position, without the server's own. Types are filtered by the
 * subscriber: on a filtered subscription the server reports its progress only now and then, and a
 * writer that waits for its own position would wait for that report. Progress among the server's own
 * events is not requested either, since a checkpoint must be the place of an event that can be found
 * again.
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

  /** An unreadable event ends the feed; an error thrown here would end the process. */
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
  // Never removed: the client may emit an error after the end, and an unhandled one ends the
  // process.
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
