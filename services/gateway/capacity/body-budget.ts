import type { FastifyInstance } from "fastify";
import { memoryLimit } from "#infra/lifecycle/memory.ts";
import type { AnswerScope } from "./answer-scope.ts";
import { Overloaded } from "./retry-later.ts";

/** Bodies up to this size are not counted: there can be no more of them than connections. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** What the bodies of all requests together hold in memory, from when they come until they are answered. */
export type BodyBudget = {
  readonly hasRoom: (bytes: number) => boolean;
  /**
   * Counts the bytes of one body as they come.
   * @returns whether there is room for so many more
   */
  readonly count: (scope: AnswerScope) => (bytes: number) => boolean;
};

export function createBodyBudget(budgetBytes: number): BodyBudget {
  let held = 0;
  const hasRoom = (bytes: number): boolean => held + bytes <= budgetBytes;
  return {
    hasRoom,
    count(scope) {
      let come = 0;
      let own = 0;
      let isOver = false;
      scope.own(() => {
        isOver = true;
        held -= own;
      });
      return (bytes) => {
        come += bytes;
        const more = Math.max(0, come - SMALL_BODY_BYTES) - own;
        if (isOver || !hasRoom(more)) return false;
        own += more;
        held += more;
        return true;
      };
    },
  };
}

/**
 * Refuses a body that says itself to be too large for now before it is read: its client then has the
 * answer, and may keep its connection. Files of forms do not count: they go to the disk.
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

const MIB = 1024 * 1024;
const MOST_BYTES = 512 * MIB;

/** What bodies may hold in memory at once: a quarter of it at most, and always one of the largest. */
export function bodyBudget(maxBodyBytes: number): number {
  return Math.max(maxBodyBytes, Math.min(MOST_BYTES, memoryLimit() / 4));
}
