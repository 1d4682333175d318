import type { Writable } from "node:stream";
import { type LogEvents, type LogSink, MAX_WAITING_BYTES } from "./log-sink.ts";

/** Writes to a pipe or a socket; some lines wait in memory while its reader does not read. */
export function createStreamSink(stream: Writable, { onLost, onWritten }: LogEvents): LogSink {
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
