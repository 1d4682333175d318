import type { Logger } from "pino";
import { createOperationStore, type OperationStore } from "#infra/operations/operation-store.ts";
import type { Presence } from "#infra/postgres/presence.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { failAbandonedOperations } from "#services/operations/fail-abandoned.ts";
import {
  createOperationRunner,
  type OperationRunner,
} from "#services/operations/operation-runner.ts";
import { errorAnswer, isClientMistake } from "./http/error-answer.ts";
import { sweep } from "./sweep.ts";

const SWEEP_MS = 5_000;

export type OpenOperations = {
  readonly store: OperationStore;
  readonly runner: OperationRunner;
  readonly close: () => Promise<void>;
};

/** What runs beyond its request in this process, and the sweep behind processes that are gone. */
export function openOperations(
  { pool, worker, newId, now }: CommandContext,
  presence: Presence,
  logger: Logger,
): OpenOperations {
  const store = createOperationStore(pool);
  const describe = (error: unknown) => {
    const { error: sentence, code, details, catalogueId } = errorAnswer(error).body;
    return {
      error: sentence,
      ...(code && { code }),
      ...(details && { details: [...details] }),
      ...(catalogueId && { catalogueId }),
    };
  };
  const runner = createOperationRunner({
    store,
    worker,
    newId,
    describe,
    isClientMistake,
    logger,
  });
  const abandoned = { store, presence, runner };
  const sweeping = sweep(
    "operations",
    SWEEP_MS,
    () => failAbandonedOperations(abandoned, now()),
    logger,
  );
  return {
    store,
    runner,
    close: async () => {
      await runner.close();
      await sweeping.close();
    },
  };
}
