import { once } from "node:events";
import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js";

export type ReadCall = Parameters<IStreamsServer["read"]>[0];

/** A signal that aborts when nobody listens to the call any more. */
export function goneSignal(call: ReadCall): AbortSignal {
  const gone = new AbortController();
  for (const end of ["cancelled", "close", "error"]) call.on(end, () => gone.abort());
  return gone.signal;
}

/** Sends a message; resolves when the call takes more, or when `gone` aborts. */
export async function send(call: ReadCall, message: ReadResp, gone: AbortSignal): Promise<void> {
  if (gone.aborted || call.write(message)) return;
  await once(call, "drain", { signal: gone }).catch(() => {});
}
