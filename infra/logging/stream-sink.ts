import type { Writable } from "node:stream";
import { type LogEvents, type LogSink, MAX_WAITING_BYTES } from "./log-sink.ts";

/** A pipe or a socket: takes lines for its reader, of which some wait in memory while it reads none. */
export function createStreamSink(stream: Writable, { onLost, onWritten }: LogEvents): LogSink {
  // Its reader has gone: each line then tells that it is lost.
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
