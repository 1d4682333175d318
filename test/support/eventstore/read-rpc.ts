import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, { type ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { goneSignal, send } from "./answering.ts";
import type { EventStore } from "./event-store.ts";
import { errorBefore, type Faults } from "./faults.ts";
import { eventMessage, streamIdentifier, streamName } from "./messages.ts";
import type { StoredEvent } from "./stored-event.ts";
import type { Subscriptions } from "./subscriptions.ts";

const BACKWARDS = 1;

/** Read: of a stream or of everything, in either direction, or a subscription to it. */
export function readRpc(
  store: EventStore,
  faults: Faults,
  subscriptions: Subscriptions,
  onRead: (maxCount: number) => void,
): IStreamsServer["read"] {
  return (call) => {
    const options = call.request.getOptions();
    const gone = goneSignal(call);
    if (options?.hasSubscription()) return void subscriptions.serve(call, options, gone);
    onRead(Number(options?.getCount()));
    return void answer();

    async function answer(): Promise<void> {
      const fault = faults.reads.shift();
      if (fault?.kind === "wait") await fault.until;
      const before = errorBefore(fault);
      if (before) return void call.emit("error", before);
      if (options === undefined || fault?.kind.startsWith("hang")) return;
      const name = streamName(options.getStream()?.getStreamIdentifier());
      const events = options.hasStream() ? store.stream(name) : store.all;
      if (events === null) {
        const notFound = new streams.ReadResp.StreamNotFound();
        notFound.setStreamIdentifier(streamIdentifier(name));
        call.write(new streams.ReadResp().setStreamNotFound(notFound));
      } else {
        for (const event of selected(events, options)) {
          if (gone.aborted) return;
          await send(call, eventMessage(event), gone);
        }
      }
      call.end();
    }
  };
}

function selected(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const isBackwards = Number(options.getReadDirection()) === BACKWARDS;
  const range = isBackwards ? backwards(events, options) : forwards(events, options);
  return range.slice(0, Number(BigInt.asUintN(53, BigInt(options.getCount()))));
}

function forwards(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const [stream, all] = [options.getStream(), options.getAll()];
  if (stream?.hasEnd() || all?.hasEnd()) return [];
  if (stream?.hasRevision()) {
    const from = Number(stream.getRevision());
    return events.slice(Math.max(0, from - (events[0]?.revision ?? 0)));
  }
  const position = all?.getPosition();
  if (!position) return events;
  const from = BigInt(position.getCommitPosition());
  return events.filter((event) => event.position >= from);
}

/** From a revision on with it, from a position on without what begins there. */
function backwards(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const [stream, all] = [options.getStream(), options.getAll()];
  if (stream?.hasStart() || all?.hasStart()) return [];
  const reversed = events.toReversed();
  if (stream?.hasRevision()) {
    const from = Number(stream.getRevision());
    return reversed.filter(({ revision }) => revision <= from);
  }
  const position = all?.getPosition();
  if (!position) return reversed;
  const from = BigInt(position.getCommitPosition());
  return reversed.filter((event) => event.position < from);
}
