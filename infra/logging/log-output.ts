import { constants, fstatSync, openSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { DestinationStream } from "pino";

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

const RETRY_MS = 100;

/**
 * Writes to an open file, terminal or other device. A line that does not fit is lost, except that
 * lines for a terminal stopped by its user wait in memory.
 */
function createFileSink(fd: number, { onLost, onWritten }: LogEvents): LogSink {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** The last line was written in part. */
  let isTorn = false;

  /** Returns the bytes that must wait; null when they cannot be written at all. */
  function put(bytes: Buffer): Buffer | null {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      isTorn = false;
      return rest;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return rest;
      isTorn ||= rest.length < bytes.length;
      return null;
    }
  }

  function wait(bytes: Buffer): void {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waiting.length === 1) setTimeout(takeWaiting, RETRY_MS).unref();
  }

  function take(bytes: Buffer): void {
    // After the lines that wait already.
    const rest = waiting.length > 0 ? bytes : put(bytes);
    if (rest === null) onLost();
    else if (rest.length > 0) wait(rest);
    else onWritten();
  }

  function takeWaiting(): void {
    waitingBytes = 0;
    for (const bytes of waiting.splice(0)) take(bytes);
  }

  return {
    write(line) {
      const bytes = Buffer.from(isTorn ? `\n${line}` : line);
      if (waitingBytes + bytes.length > MAX_WAITING_BYTES) onLost();
      else take(bytes);
    },
  };
}

/** Events about lines passed to a sink. */
type LogEvents = {
  /** Called for each lost line. */
  readonly onLost: () => void;
  /** Lines are written: a new one, or all that waited. */
  readonly onWritten: () => void;
};

/** Takes lines and never waits for their reader. */
type LogSink = { readonly write: (line: string) => void };

/** Limit of lines waiting for their reader: some thousands. */
const MAX_WAITING_BYTES = 256 * 1024;
