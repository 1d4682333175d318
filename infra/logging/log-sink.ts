/** What is told of the lines that a sink takes. */
export type LogEvents = {
  /** One is lost. */
  readonly onLost: () => void;
  /** Lines are written: one that just came, or all that had to wait. */
  readonly onWritten: () => void;
};

/** Where lines go; never waits for their reader. */
export type LogSink = { readonly write: (line: string) => void };

/** Lines that wait for their reader; some thousands. */
export const MAX_WAITING_BYTES = 256 * 1024;
