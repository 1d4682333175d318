import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { Refusal } from "#contracts/errors.ts";

/** What lives as long as a request is being answered: whatever an answer holds is owned by its scope. */
export type AnswerScope = {
  /** Aborts when the answer is over: it is sent whole, its client has gone, or it was cut. */
  readonly signal: AbortSignal;
  /**
   * Has `release` called once, when the answer is over, however it ends; at once where it is over
   * already.
   */
  readonly own: (release: Release) => void;
};

type Release = () => unknown;

/** There is nobody to be told: no fault of the service's. */
export const answerOver = (): Refusal =>
  new Refusal("VALIDATION_ERROR", "The client left before it had its answer");

/** @param onFault told when something cannot be released */
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
    // The latest first: it may stand on what was there before it.
    for (const release of releases.reverse()) void call(release);
  }

  if (response.destroyed) end();
  // Node tells it of every response: of one that is sent, and of all whose connection is lost.
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
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Owns what the answer holds. */
    scope: AnswerScope;
  }
}

/** Gives every request a scope that ends with its answer. */
export function registerScopes(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.addHook("onRequest", async (request, reply) => {
    request.scope = openScope(reply.raw, (error) =>
      request.log.warn({ err: error }, "what an answer held was not given back"),
    );
  });
}
