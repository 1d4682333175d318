import shared from "@eventstore/db-client/generated/shared_pb.js";
import status from "@eventstore/db-client/generated/status_pb.js";
import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, {
  type BatchAppendReq,
  type BatchAppendResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { AppendOutcome, EventStore } from "./event-store.ts";
import { errorAfter, errorBefore, type Faults } from "./faults.ts";
import { Any, grpc } from "./from-client.ts";
import { expectedRevision, proposedEvent, streamIdentifier, streamName } from "./messages.ts";
import type { ProposedEvent } from "./stored-event.ts";

type Pending = { readonly options: BatchAppendReq.Options; readonly events: ProposedEvent[] };

/** BatchAppend: one call for any number of appends, each in one message or several. */
export function batchAppendRpc(store: EventStore, faults: Faults): IStreamsServer["batchAppend"] {
  return (call) => {
    const pending = new Map<string, Pending>();
    call.on("data", (request: BatchAppendReq) => void take(request));
    call.on("end", () => call.end());
    call.on("error", () => {});

    async function take(request: BatchAppendReq): Promise<void> {
      const id = request.getCorrelationId()?.getString() ?? "";
      const options = pending.get(id)?.options ?? request.getOptions();
      if (options === undefined) return;
      const events = pending.get(id)?.events ?? [];
      events.push(...request.getProposedMessagesList().map(proposedEvent));
      if (request.getIsFinal()) {
        pending.delete(id);
        await answer(id, { options, events });
      } else pending.set(id, { options, events });
    }

    async function answer(id: string, { options, events }: Pending): Promise<void> {
      const fault = faults.appends.shift();
      if (fault?.kind === "wait") await fault.until;
      const before = errorBefore(fault);
      if (before) return void call.emit("error", before);
      if (fault?.kind === "hang-before") return;
      const stream = streamName(options.getStreamIdentifier());
      const expected = expectedRevision(options, options.getStreamPosition());
      const outcome = store.append(stream, expected, events);
      if (fault?.kind === "hang-after") return;
      if (fault?.kind === "end-after") return void call.end();
      const error = errorAfter(fault);
      if (error) return void call.emit("error", error);
      const response = responseOf(outcome, options).setStreamIdentifier(streamIdentifier(stream));
      call.write(response.setCorrelationId(new shared.UUID().setString(id)));
    }
  };
}

function responseOf(outcome: AppendOutcome, options: BatchAppendReq.Options): BatchAppendResp {
  const response = new streams.BatchAppendResp();
  switch (outcome.kind) {
    case "appended": {
      const success = new streams.BatchAppendResp.Success().setCurrentRevision(
        `${outcome.revision}`,
      );
      if (outcome.position !== null) {
        const position = outcome.position.toString();
        success.setPosition(
          new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position),
        );
      }
      return response.setSuccess(success);
    }
    case "wrong-revision": {
      const wrong = new shared.WrongExpectedVersion();
      if (outcome.current >= 0) wrong.setCurrentStreamRevision(`${outcome.current}`);
      if (!options.hasNoStream()) wrong.setExpectedStreamPosition(options.getStreamPosition());
      return response.setError(
        errorStatus("WrongExpectedVersion", grpc.status.FAILED_PRECONDITION, wrong),
      );
    }
    case "deleted":
      return response.setError(
        errorStatus("StreamDeleted", grpc.status.FAILED_PRECONDITION, new shared.StreamDeleted()),
      );
    case "too-large":
      return response.setError(
        errorStatus(
          "MaximumAppendSizeExceeded",
          grpc.status.INVALID_ARGUMENT,
          new shared.MaximumAppendSizeExceeded().setMaxappendsize(outcome.maxBytes),
        ),
      );
    default: {
      const unknown: never = outcome;
      throw new Error(`unknown outcome: ${JSON.stringify(unknown)}`);
    }
  }
}

function errorStatus(
  name: string,
  code: number,
  message: { serializeBinary(): Uint8Array },
): InstanceType<typeof status.Status> {
  const details = new Any();
  details.pack(message.serializeBinary(), `event_store.client.${name}`);
  return new status.Status().setCode(code).setMessage(name).setDetails(details);
}
