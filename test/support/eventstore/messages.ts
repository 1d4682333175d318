import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams, {
  type AppendReq,
  type ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { ExpectedRevision, ProposedEvent, StoredEvent } from "./stored-event.ts";

const TICKS_PER_MS = 10_000n;

export function streamName(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString("utf8");
}

export function streamIdentifier(name: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(name)));
}

export function proposedEvent(message: AppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString().toLowerCase() ?? "",
    type: metadata.get("type") ?? "",
    contentType: metadata.get("content-type") ?? "",
    data: Uint8Array.from(message.getData_asU8()),
    metadata: Uint8Array.from(message.getCustomMetadata_asU8()),
  };
}

type ExpectedOptions = {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
};

export function expectedRevision(options: ExpectedOptions, revision: string): ExpectedRevision {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasAny()) return "any";
  if (options.hasStreamExists()) return "stream_exists";
  return Number(revision);
}

export function eventMessage(event: StoredEvent): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  const position = event.position.toString();
  recorded
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(`${event.revision}`)
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  const metadata = recorded.getMetadataMap();
  metadata.set("type", event.type);
  metadata.set("content-type", event.contentType);
  metadata.set("created", (BigInt(event.createdMs) * TICKS_PER_MS).toString());
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position);
  return new streams.ReadResp().setEvent(read);
}

export function checkpointMessage(position: bigint): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
    .setCommitPosition(position.toString())
    .setPreparePosition(position.toString());
  return new streams.ReadResp().setCheckpoint(checkpoint);
}
