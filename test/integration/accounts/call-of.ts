import type { Operation } from "#contracts/http/operation.ts";
import type { Actor, Call } from "#services/gateway/http/handler.ts";
import { silentLogger } from "../../support/logger.ts";
import { newCommand, SOME_NETWORK } from "./use-accounts.ts";

type Given = {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly actor?: Actor;
};

/** A call as the gateway hands it to a handler, of a guest unless an actor is given. */
export function callOf<O extends Operation>({ params, query, body, actor }: Given): Call<O> {
  const call = {
    params,
    query,
    body,
    actor: actor ?? null,
    command: newCommand(actor?.userId),
    network: SOME_NETWORK,
    ifMatch: null,
    log: silentLogger(),
  };
  return call as unknown as Call<O>;
}
