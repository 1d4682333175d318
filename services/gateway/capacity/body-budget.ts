import type { FastifyInstance } from "fastify";
import { MIB } from "#contracts/units.ts";
import { memoryLimit } from "#infra/process/memory.ts";
import type { AnswerScope } from "./answer-scope.ts";
import { Overloaded } from "./retry-later.ts";

/** Bodies up to this size are not counted: their number is limited by that of connections. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Memory of all requests' bodies together, from their arrival until what they ask for is done. */
export type BodyBudget = {
  readonly hasRoom: (bytes: number) => boolean;
  /**
   * Counts the bytes of one body as they arrive.
   * @returns whether that many more fit
   */
  readonly count: (scope: AnswerScope) => (bytes: number) => boolean;
  /**
   * Counts a body that has arrived for as long as work needs it that outlasts its request.
   * @returns its release
   */
  readonly keep: (body: Uint8Array) => () => void;
};

export function createBodyBudget(budgetBytes: number): BodyBudget {
  let held = 0;
  const hasRoom = (bytes: number): boolean => held + bytes <= budgetBytes;
  return {
    hasRoom,
    count(scope) {
      let received = 0;
      let own = 0;
      let isOver = false;
      scope.own(() => {
        isOver = true;
        held -= own;
      });
      return (bytes) => {
        received += bytes;
        const more = Math.max(0, received - SMALL_BODY_BYTES) - own;
        if (isOver || !hasRoom(more)) return false;
        own += more;
        held += more;
        return true;
      };
    },
    keep({ byteLength }) {
      let own = Math.max(0, byteLength - SMALL_BODY_BYTES);
      held += own;
      return () => {
        held -= own;
        own = 0;
      };
    },
  };
}

/**
 * Refuses a body whose declared length does not fit at present, before reading it, so that its
 * client gets the answer and may keep the connection. Files in forms do not count: they go to disk.
 */
export function registerBodyBudget(app: FastifyInstance, budget: BodyBudget): void {
  app.addHook("preParsing", async ({ headers, routeOptions }) => {
    if (routeOptions.config.operation?.body === "file") return;
    if (!budget.hasRoom(Number(headers["content-length"] ?? 0) - SMALL_BODY_BYTES)) {
      throw tooManyBodies();
    }
  });
}

export const tooManyBodies = (): Overloaded =>
  new Overloaded("Too many large bodies are being read; try again");

const MOST_BYTES = 512 * MIB;

/** Limit of all bodies in memory: at most a quarter of it, and at least one of the largest. */
export function bodyBudget(maxBodyBytes: number): number {
  return Math.max(maxBodyBytes, Math.min(MOST_BYTES, memoryLimit() / 4));
}
