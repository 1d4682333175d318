import shared from "@eventstore/db-client/generated/shared_pb.js";
import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, {
  type AppendReq,
  type AppendResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { AppendOutcome, EventStore } from "./event-store.ts";
import { errorAfter, errorBefore, type Faults } from "./faults.ts";
import { expectedRevision, proposedEvent, streamName } from "./messages.ts";
import { appendError } from "./rpc-error.ts";
import type { ProposedEvent } from "./stored-event.ts";

/** Append: one call for each append. */
export function appendRpc(store: EventStore, faults: Faults): IStreamsServer["append"] {
  return (call, callback) => {
    const events: ProposedEvent[] = [];
    let options: AppendReq.Options | undefined;
    call.on("data", (request: AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message) events.push(proposedEvent(message));
    });
    call.on("end", () => void answer());

    async function answer(): Promise<void> {
      if (options === undefined) return;
      const fault = faults.appends.shift();
      if (fault?.kind === "wait") await fault.until;
      const before = errorBefore(fault);
      if (before) return callback(before);
      if (fault?.kind === "hang-before") return;
      const stream = streamName(options.getStreamIdentifier());
      const expected = expectedRevision(options, options.getRevision());
      const outcome = store.append(stream, expected, events);
      if (fault?.kind === "hang-after") return;
      if (fault?.kind === "end-after") return callback(null, new streams.AppendResp());
      const error = errorAfter(fault) ?? appendError(outcome);
      if (error) return callback(error);
      callback(null, appendResponse(outcome, options));
    }
  };
}

function appendResponse(outcome: AppendOutcome, options: AppendReq.Options): AppendResp {
  const response = new streams.AppendResp();
  if (outcome.kind === "wrong-revision") {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(`${outcome.current}`);
    if (options.hasRevision()) wrong.setExpectedRevision(options.getRevision());
    else if (options.hasNoStream()) wrong.setExpectedNoStream(new shared.Empty());
    else if (options.hasStreamExists()) wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedAny(new shared.Empty());
    return response.setWrongExpectedVersion(wrong);
  }
  const success = new streams.AppendResp.Success();
  if (outcome.kind !== "appended") throw new Error(`${outcome.kind} is answered by a status`);
  if (outcome.revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  if (outcome.position === null) success.setNoPosition(new shared.Empty());
  else {
    const position = outcome.position.toString();
    success.setPosition(
      new streams.AppendResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  }
  return response.setSuccess(success);
}
