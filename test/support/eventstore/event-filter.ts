import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { streamName } from "./messages.ts";
import type { StoredEvent } from "./stored-event.ts";

export type EventFilter = {
  readonly isWanted: (event: StoredEvent) => boolean;
  /** A checkpoint is sent after so many events looked at; Infinity for none. */
  readonly checkpointEvery: number;
};

/** What the server looks at by default before it tells how far it has come. */
const WINDOW = 32;

export function eventFilter(options: ReadReq.Options): EventFilter {
  const filter = options.getFilter();
  if (!filter) {
    const stream = options.getStream()?.getStreamIdentifier();
    const name = stream && streamName(stream);
    return {
      isWanted: (event) => name === undefined || event.stream === name,
      checkpointEvery: Number.POSITIVE_INFINITY,
    };
  }
  const expression = filter.getEventType() ?? filter.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ? new RegExp(expression.getRegex()) : null;
  const window = filter.hasMax() ? filter.getMax() : WINDOW;
  return {
    isWanted(event) {
      const text = filter.hasEventType() ? event.type : event.stream;
      return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix));
    },
    checkpointEvery: window * Math.max(1, filter.getCheckpointintervalmultiplier()),
  };
}
