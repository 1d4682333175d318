import { writeSync } from "node:fs";

const RETRY_MS = 100;

/**
 * Writes to an open file, terminal or other device. A line that does not fit is lost, except that
 * lines for a terminal stopped by its user wait in memory.
 */
export function createFileSink(fd: number, { onLost, onWritten }: LogEvents): LogSink {
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
