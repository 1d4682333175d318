import { constants, fstatSync, openSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { DestinationStream } from "pino";
import { createFileSink, type LogEvents, type LogSink, MAX_WAITING_BYTES } from "./file-sink.ts";

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
  // Node writes to pipes and sockets asynchronously, to other files until all is written.
  if (stats.isFIFO() || stats.isSocket()) return createStreamSink(process.stdout, events);
  return createFileSink(isatty(fd) ? withoutWaiting(fd) : fd, events);
}

/** Opens the terminal again so that, stopped by its user, it reports that it is full. */
function withoutWaiting(fd: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}

/** Writes to a pipe or a socket; some lines wait in memory while its reader does not read. */
function createStreamSink(stream: Writable, { onLost, onWritten }: LogEvents): LogSink {
  // The reader is gone; each later line reports its own loss.
  stream.on("error", () => undefined);
  const settle = (error?: Error | null): void => {
    if (error) onLost();
    else if (stream.writableLength === 0) onWritten();
  };
  return {
    write(line) {
      if (stream.writableLength + line.length > MAX_WAITING_BYTES) onLost();
      else stream.write(line, settle);
    },
  };
}
