import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, {
  type DeleteReq,
  type TombstoneReq,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { AppendOutcome, EventStore } from "./event-store.ts";
import { expectedRevision, streamName } from "./messages.ts";
import { appendError, type RpcError, wrongRevision } from "./rpc-error.ts";

type Options = DeleteReq.Options | TombstoneReq.Options;

export function deleteRpc(store: EventStore): IStreamsServer["delete"] {
  return (call, callback) => {
    const { error, position } = remove(store, call.request.getOptions(), false);
    if (error) return callback(error);
    const at = new streams.DeleteResp.Position();
    at.setCommitPosition(position).setPreparePosition(position);
    callback(null, new streams.DeleteResp().setPosition(at));
  };
}

export function tombstoneRpc(store: EventStore): IStreamsServer["tombstone"] {
  return (call, callback) => {
    const { error, position } = remove(store, call.request.getOptions(), true);
    if (error) return callback(error);
    const at = new streams.TombstoneResp.Position();
    at.setCommitPosition(position).setPreparePosition(position);
    callback(null, new streams.TombstoneResp().setPosition(at));
  };
}

function remove(
  store: EventStore,
  options: Options | undefined,
  forGood: boolean,
): { error: RpcError | null; position: string } {
  if (options === undefined) throw new Error("a deletion without options");
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectedRevision(options, options.getRevision());
  const outcome: AppendOutcome = store.remove(stream, expected, forGood);
  switch (outcome.kind) {
    case "appended":
      return { error: null, position: `${outcome.position ?? 0n}` };
    case "wrong-revision":
      return { error: wrongRevision(stream, `${expected}`, outcome.current), position: "0" };
    default:
      return { error: appendError(stream, outcome), position: "0" };
  }
}
