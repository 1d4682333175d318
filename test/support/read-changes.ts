import { connect, NatsError, type StoredMsg } from "nats";
import { CHANGES } from "#contracts/events/log.ts";
import { CatalogueChange, CHANGE_HEADERS } from "#contracts/messages/changes.ts";
import { readNatsServers } from "#infra/config/servers.ts";

/** A message as any subscriber reads it. */
export type ChangeMessage = {
  readonly subject: string;
  /** The broker's message id. */
  readonly id: string;
  readonly contentType: string;
  readonly position: string;
  readonly change: CatalogueChange;
};

/** Everything that the stream of changes holds, in its order; nothing where there is no stream. */
export async function readChanges(natsUrl: string): Promise<ChangeMessage[]> {
  const connection = await connect({ ...readNatsServers(natsUrl) });
  const messages: ChangeMessage[] = [];
  try {
    const { streams } = await connection.jetstreamManager();
    const { state } = await streams.info(CHANGES.stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await streams.getMessage(CHANGES.stream, { seq }).catch(absent);
      if (message) messages.push(changeMessage(message));
    }
  } catch (error) {
    absent(error);
  } finally {
    await connection.close();
  }
  return messages;
}

/** @throws the error, unless it says that a stream or a message is not there */
function absent(error: unknown): null {
  if (error instanceof NatsError && error.api_error?.code === 404) return null;
  throw error;
}

/** @throws ZodError when it is not as the contract describes it */
function changeMessage(message: StoredMsg): ChangeMessage {
  const header = (name: string) => message.header.get(name);
  return {
    subject: message.subject,
    id: header("Nats-Msg-Id"),
    contentType: header(CHANGE_HEADERS.contentType),
    position: header(CHANGE_HEADERS.position),
    change: CatalogueChange.parse(message.json()),
  };
}
