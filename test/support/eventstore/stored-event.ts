/** An event as the server keeps it. */
export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** Commit and prepare position, which are the same for events that are committed at once. */
  readonly position: bigint;
};

export type ProposedEvent = Pick<StoredEvent, "id" | "type" | "contentType" | "data" | "metadata">;

export type ExpectedRevision = number | "any" | "no_stream" | "stream_exists";

/** The revision of a stream that does not exist. */
export const NONE = -1;
