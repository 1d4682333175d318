import {
  excludeSystemEvents,
  START as FROM_START,
  type RecordedEvent as StoredEvent,
} from "@eventstore/db-client";
import { createWakeUp } from "../../kernel/wake-up.ts";
import type { Position, RecordedEvent } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { fromPosition, toRecordedEvent } from "./recorded-event.ts";

/**
 * One subscription of the client until it breaks, with its events in order.
 *
 * Subscribes to the events after a position, without the server's own. Types are filtered by the
 * subscriber: on a filtered subscription the server reports its progress only now and then, and a
 * writer that waits for its own position would wait for that report. Progress among the server's own
 * events is not requested either, since a checkpoint must be the place of an event that can be found
 * again.
 */
export function openFeed({ client, credentials }: Connection, after: Position) {
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
  // Never removed: the client may emit an error after the end, which would end the process.
  subscription.on("error", (error) => queue.end(error));

  return {
    wait: queue.wait,
    take(): RecordedEvent[] {
      const taken = queue.take();
      fill();
      return taken;
    },
    close(): void {
      subscription.destroy();
      void subscription.unsubscribe().catch(() => {});
    },
  };
}

/** About one batch; the rest stays at the server. */
const MAX_ITEMS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** Received events that were not taken yet, in order of arrival. */
function createSentQueue() {
  let items: RecordedEvent[] = [];
  let bytes = 0;
  let ended: { readonly error: unknown } | null = null;
  const news = createWakeUp();

  return {
    put(event: RecordedEvent): void {
      items.push(event);
      if (event.data instanceof Uint8Array) bytes += event.data.length;
      news.wake();
    },
    /** Removes and returns all events. */
    take(): RecordedEvent[] {
      const taken = items;
      items = [];
      bytes = 0;
      return taken;
    },
    /** Marks the end, normal or with an error. */
    end(error?: unknown): void {
      ended ??= { error };
      news.wake();
    },
    /**
     * Resolves when there are events or an end, after `ms`, or when `signal` aborts.
     * @throws the error of the end, once all events are taken
     */
    async wait(ms: number, signal: AbortSignal): Promise<"something" | "end" | "nothing"> {
      if (items.length === 0 && ended === null) await news.wait(news.version(), ms, signal);
      if (items.length > 0) return "something";
      if (ended === null) return "nothing";
      if (ended.error !== undefined) throw ended.error;
      return "end";
    },
    isFull: () => items.length >= MAX_ITEMS || bytes >= MAX_BYTES,
  };
}
