/** Events about lines passed to a sink. */
export type LogEvents = {
  /** Called for each lost line. */
  readonly onLost: () => void;
  /** Lines are written: a new one, or all that waited. */
  readonly onWritten: () => void;
};

/** Takes lines and never waits for their reader. */
export type LogSink = { readonly write: (line: string) => void };

/** Limit of lines waiting for their reader: some thousands. */
export const MAX_WAITING_BYTES = 256 * 1024;
