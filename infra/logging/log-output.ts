import { constants, fstatSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import type { DestinationStream } from "pino";
import { createFileSink } from "./file-sink.ts";
import type { LogEvents, LogSink } from "./log-sink.ts";
import { createStreamSink } from "./stream-sink.ts";

/** Where the lines of the log go. Never waits: a line that cannot be written is dropped and counted. */
export type LogOutput = DestinationStream & {
  /** Lines dropped since the start. */
  readonly dropped: () => number;
  /** Calls the listener with how many were dropped, when lines are written again. */
  readonly onResumed: (listener: (dropped: number) => void) => void;
};

/** Standard output, whatever it is and whatever its reader does. */
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
  // Node writes to these without waiting. To others it would write until all is taken.
  if (stats.isFIFO() || stats.isSocket()) return createStreamSink(process.stdout, events);
  return createFileSink(isatty(fd) ? withoutWaiting(fd) : fd, events);
}

/** The terminal again, so that one whose user has stopped it says that it is full, instead of waiting. */
function withoutWaiting(fd: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
