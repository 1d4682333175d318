import {
  type AppendResult,
  type EventData,
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STREAM_EXPECTED,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { Ambiguous, TooLarge, Unavailable, WrongExpectedRevision } from "../errors.ts";
import { NO_STREAM } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { isConnectionFailure, isNotLeader, isUnsent, NoAnswer } from "./failures.ts";

export type Append = {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly data: EventData[];
  /** Bytes of the events that count towards the limit. */
  readonly bytes: number;
};

/**
 * Appends after `expectedRevision`, or finds that exactly these events are there already: the server
 * compares ids when the expected revision is not the last.
 * @throws WrongExpectedRevision, TooLarge, Ambiguous, Unavailable
 */
export async function appendWithin(
  { client, credentials, onLeader }: Connection,
  append: Append,
  timeoutMs: number,
): Promise<AppendResult> {
  const { stream, expectedRevision, data } = append;
  const options = {
    expectedRevision:
      expectedRevision === NO_STREAM ? NO_STREAM_EXPECTED : BigInt(expectedRevision),
    credentials,
    requiresLeader: true,
    deadline: timeoutMs,
  } as const;
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  // The call's deadline covers neither the search for a server nor an answer without a result.
  const timer = setTimeout(() => reject(new NoAnswer("an append", timeoutMs)), timeoutMs);
  try {
    const appending = onLeader(performance.now() + timeoutMs, () =>
      client.appendToStream(stream, data, options),
    );
    return await Promise.race([appending, timedOut]);
  } catch (error) {
    throw appendFailure(error, append);
  } finally {
    clearTimeout(timer);
  }
}

/** A failure after which the append may have happened is Ambiguous. */
function appendFailure(error: unknown, { stream, expectedRevision, bytes }: Append): unknown {
  if (error instanceof WrongExpectedVersionError) {
    return new WrongExpectedRevision(stream, expectedRevision, actualRevision(error));
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new TooLarge(bytes, error.maxAppendSize);
  }
  if (error instanceof Unavailable) return error;
  if (isNotLeader(error) || isUnsent(error)) {
    return new Unavailable("the event store cannot be reached", { cause: error });
  }
  if (!isConnectionFailure(error)) return error;
  return new Ambiguous("the append may or may not have happened", { cause: error });
}

function actualRevision({ actualVersion }: WrongExpectedVersionError): number {
  return typeof actualVersion === "bigint" ? Number(actualVersion) : NO_STREAM;
}
