import { constants, fstatSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import type { DestinationStream } from "pino";
import { createFileSink } from "./file-sink.ts";
import type { LogEvents, LogSink } from "./log-sink.ts";
import { createStreamSink } from "./stream-sink.ts";

/** Output of the log's lines. It never waits: a line that cannot be written is dropped and counted. */
export type LogOutput = DestinationStream & {
  /** Lines dropped since the start. */
  readonly dropped: () => number;
  /** Calls the listener with the number of dropped lines when writing works again. */
  readonly onResumed: (listener: (dropped: number) => void) => void;
};

/** Standard output of any kind, whatever its reader does. */
export function standardOutput(): LogOutput {
  let dropped = 0;
  let untold = 0;
  let tell: (dropped: number) => void = () => {};
  const sink = sinkOf(process.stdout.fd, {
    onLost() {
      dropped += 1;
      untold += 1;
    },
    onWritten() {
      if (untold === 0) return;
      const count = untold;
      untold = 0;
      tell(count);
    },
  });
  return {
    write: sink.write,
    dropped: () => dropped,
    onResumed(listener) {
      tell = listener;
    },
  };
}

function sinkOf(fd: number, events: LogEvents): LogSink {
  const stats = fstatSync(fd);
  // Node writes to pipes and sockets asynchronously, to other files synchronously until all is
  // written.
  if (stats.isFIFO() || stats.isSocket()) return createStreamSink(process.stdout, events);
  return createFileSink(isatty(fd) ? withoutWaiting(fd) : fd, events);
}

/**
 * Opens the terminal again without blocking, so that a terminal stopped by its user reports that it
 * is full instead of blocking.
 */
function withoutWaiting(fd: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
