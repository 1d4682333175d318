import type { Pool } from "pg";
import { afterAll, beforeAll } from "vitest";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import type { Projection } from "#projections/engine/projection.ts";
import {
  type RebuildPhase,
  rebuildProjection,
  type Verification,
  verifyProjection,
} from "#projections/rebuild/rebuild.ts";
import type { CommandContext } from "#services/context.ts";

export type RebuildScene = {
  readonly pool: Pool;
  readonly rebuild: (
    onPhase?: (phase: RebuildPhase) => void,
    signal?: AbortSignal,
  ) => Promise<void>;
  readonly verify: () => Promise<Verification>;
};

type Live = { readonly databaseUrl: string; readonly context: Pick<CommandContext, "log"> };

/** Rebuilds and verifies beside a live projector, on connections of their own. */
export function useRebuild(
  live: Live,
  projection: Projection = cataloguesProjection,
): RebuildScene {
  let pool: Pool;
  beforeAll(() => {
    pool = createPgPool(live.databaseUrl, { applicationName: "rebuild", statementTimeoutMs: 0 });
  });
  afterAll(() => pool.end());
  const never = new AbortController().signal;
  return {
    get pool() {
      return pool;
    },
    rebuild: (onPhase = () => undefined, signal = never) =>
      rebuildProjection({ log: live.context.log, pool, signal, onPhase }, projection),
    verify: () => verifyProjection({ log: live.context.log, pool, signal: never }, projection),
  };
}
