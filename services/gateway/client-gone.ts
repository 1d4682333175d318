import type { FastifyReply } from "fastify";
import { ApiError } from "#contracts/errors.ts";

/** A signal that is aborted when the connection closes before the answer is out: nobody waits for it. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (raw.writableFinished) return;
    gone.abort(new ApiError("VALIDATION_ERROR", "The client left before it had its answer"));
  };
  if (raw.destroyed) leave();
  else raw.once("close", leave);
  return gone.signal;
}
