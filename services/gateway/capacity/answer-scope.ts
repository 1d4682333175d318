import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { Refusal } from "#contracts/errors.ts";

/** The lifetime of an answer, which owns all its resources. */
export type AnswerScope = {
  /** Aborts when the answer is over: sent completely, cut off, or its client disconnected. */
  readonly signal: AbortSignal;
  /** Calls `release` once, when the answer is over for whatever reason; at once if it is over already. */
  readonly own: (release: Release) => void;
  /** Ends the answer at once, with its connection. */
  readonly cut: () => void;
};

type Release = () => unknown;

/** The client is gone, so no one can be answered; not a fault of the service. */
export const answerOver = (): Refusal =>
  new Refusal("VALIDATION_ERROR", "The client left before it had its answer");

/** @param onFault called when a resource cannot be released */
export function openScope(
  response: ServerResponse,
  onFault: (error: unknown) => void,
): AnswerScope {
  let owned: Release[] | null = [];
  let controller: AbortController | null = null;

  async function call(release: Release): Promise<void> {
    try {
      await release();
    } catch (error) {
      onFault(error);
    }
  }

  function end(): void {
    const releases = owned ?? [];
    owned = null;
    controller?.abort(answerOver());
    // In reverse order, since later resources may depend on earlier ones.
    for (const release of releases.reverse()) void call(release);
  }

  if (response.destroyed) end();
  // Node emits this for every response, whether sent or disconnected.
  else response.once("close", end);
  return {
    get signal() {
      controller ??= new AbortController();
      if (owned === null) controller.abort(answerOver());
      return controller.signal;
    },
    own(release) {
      if (owned === null) void call(release);
      else owned.push(release);
    },
    cut: () => response.destroy(),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Owner of the answer's resources. */
    scope: AnswerScope;
  }
}

/** Gives every request a scope that ends with its answer. */
export function registerScopes(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.addHook("onRequest", async (request, reply) => {
    request.scope = openScope(reply.raw, (error) =>
      request.log.warn({ err: error }, "a resource of an answer was not released"),
    );
  });
}
