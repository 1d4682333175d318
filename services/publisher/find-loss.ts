import type { JetStreamManager, StreamConfig, StreamInfo } from "nats";
import type { CommonQueryMethods } from "slonik";
import { messageIdAt, readStream } from "#infra/nats/streams.ts";
import {
  compareWithPublished,
  forgetAllPublished,
  forgetPublished,
  noteLeader,
  type Retention,
} from "#infra/relays/published-messages.ts";
import { readRelayCheckpoint } from "#infra/relays/relay-checkpoint.ts";

/** The broker has lost messages that it acknowledged, or uses their sequences again. */
export class BrokerLostMessages extends Error {
  override readonly name = "BrokerLostMessages";
}

/** A stream that is compared with what was published into it. */
export type ComparedStream = {
  /** Name of the relay's checkpoint. */
  readonly name: string;
  readonly stream: string;
  /** What a stream with these settings still has to have. */
  readonly retention: (config: StreamConfig) => Retention;
};

/**
 * Compares a stream with what was published into it: its last sequence, all sequences that it should
 * have, and the id of the newest. A stream that its operator has emptied has lost nothing.
 * @param acknowledged the last sequence that the broker has acknowledged
 * @returns what it has lost, in words; null for nothing
 */
export async function findLoss(
  pool: CommonQueryMethods,
  { name, stream, retention: retentionOf }: ComparedStream,
  manager: JetStreamManager,
  acknowledged: number,
): Promise<string | null> {
  const { brokerSequence, brokerLeader } = await readRelayCheckpoint(pool, name);
  const info = await readStream(manager, stream);
  const { first_seq: first, last_seq: last, deleted = [] } = info.state;
  if (last < brokerSequence) return `its last sequence is ${last}, not ${brokerSequence}`;
  const leader = info.cluster?.leader ?? null;
  const retention = retentionOf(info.config);
  if (isEmptied(info, retention) && leader === brokerLeader) await forgetAllPublished(pool, name);
  const content = { first, last, deleted };
  const { lacking, newest } = await compareWithPublished(
    pool,
    name,
    retention,
    content,
    acknowledged,
  );
  if (lacking > 0) return `${lacking} of its messages are gone`;
  if (newest !== null && (await messageIdAt(manager, stream, newest.sequence)) !== newest.eventId) {
    return `its message ${newest.sequence} is another one`;
  }
  await noteLeader(pool, name, leader);
  await forgetPublished(pool, name, retention);
  return null;
}

/** Another server that leads the stream, and has none of its messages, has lost them. */
function isEmptied({ state }: StreamInfo, { kind }: Retention): boolean {
  return kind === "by age" && state.messages === 0 && state.last_seq > 0;
}
