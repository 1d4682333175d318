import { connect, type JsMsg, NatsError } from "nats";
import { CatalogueChange, CHANGE_HEADERS } from "#contracts/changes/messages.ts";
import { CHANGES } from "#contracts/names.ts";

/** A message as any subscriber reads it. */
export type ChangeMessage = {
  readonly subject: string;
  /** The broker's message id. */
  readonly id: string;
  readonly contentType: string;
  readonly position: string;
  readonly change: CatalogueChange;
};

const BATCH = 1_000;
const PATIENCE_MS = 10_000;

/** Everything that the stream of changes holds, in its order; nothing where there is no stream. */
export async function readChanges(natsUrl: string): Promise<ChangeMessage[]> {
  const connection = await connect({ servers: new URL(natsUrl).host });
  try {
    const manager = await connection.jetstreamManager();
    const { state } = await manager.streams.info(CHANGES.stream);
    const found: ChangeMessage[] = [];
    if (state.messages === 0) return found;
    const consumer = await connection.jetstream().consumers.get(CHANGES.stream);
    let last = 0;
    while (last < state.last_seq) {
      const before = last;
      const batch = await consumer.fetch({ max_messages: BATCH, expires: PATIENCE_MS });
      for await (const message of batch) {
        found.push(changeMessage(message));
        last = message.seq;
        if (last >= state.last_seq) break;
      }
      if (last === before) throw new Error(`the broker gives nothing after message ${last}`);
    }
    return found;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return [];
    throw error;
  } finally {
    await connection.close();
  }
}

/** @throws ZodError when it is not as the contract describes it */
function changeMessage(message: JsMsg): ChangeMessage {
  const header = (name: string) => message.headers?.get(name) ?? "";
  return {
    subject: message.subject,
    id: header("Nats-Msg-Id"),
    contentType: header(CHANGE_HEADERS.contentType),
    position: header(CHANGE_HEADERS.position),
    change: CatalogueChange.parse(message.json()),
  };
}
