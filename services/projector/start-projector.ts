import type { Logger } from "pino";
import { projectionLease } from "#contracts/events/log.ts";
import { repeat } from "#infra/kernel/waiting.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { type Lease, withLease } from "#infra/postgres/coordination.ts";
import { inPieces, removeLeftRows, undoGivenUp } from "#projections/engine/left-rows.ts";
import { LIVE_SCHEMA, type Projection } from "#projections/engine/projection.ts";
import { type ProjectionDeps, runProjection } from "#projections/engine/run.ts";

export type ProjectorDeps = ProjectionDeps & {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly projections: readonly Projection[];
  /** Name of this process as a holder of leases; the pool's application name ends with it. */
  readonly holder: string;
  readonly logger: Logger;
  /** Called when a projection cannot continue: this process must end with the reason. */
  readonly onFatal: (error: unknown) => void;
};

/** Runs every projection under its lease: one of all processes works and the others stand by. */
export function startProjector(deps: ProjectorDeps) {
  const stopping = new AbortController();
  const running = deps.projections.map(async (projection) => {
    try {
      await withLease(
        deps.databaseUrl,
        projectionLease(projection.name),
        {
          signal: stopping.signal,
          log: deps.logger,
          holder: deps.holder,
          openSocket: deps.openSocket,
        },
        (lease) => runAndClear({ ...deps, lease }, projection),
      );
    } catch (error) {
      deps.onFatal(error);
    }
  });
  return {
    close: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** Rows without an owner are looked for when the lease is taken, and then so often; two processes at it do no harm. */
const CLEAR_EVERY_MS = 10_000;
/** Its catalogue cannot be changed meanwhile. */
const UNDO_EVERY_MS = 500;

async function runAndClear(
  deps: ProjectionDeps & { readonly lease: Lease },
  projection: Projection,
): Promise<void> {
  const { pool, lease, logger } = deps;
  const ending = new AbortController();
  const signal = AbortSignal.any([lease.signal, ending.signal]);
  const within = inPieces(pool, LIVE_SCHEMA);
  const { name, tables } = projection;
  const untilEnd = (everyMs: number, work: () => Promise<unknown>) =>
    repeat(everyMs, work, (err) => {
      if (!signal.aborted) logger.warn({ err }, `${name}: rows left cannot be removed`);
    });
  const clearing = [
    untilEnd(CLEAR_EVERY_MS, () => removeLeftRows(within, tables, signal)),
    untilEnd(UNDO_EVERY_MS, () => undoGivenUp(within, tables, { signal })),
  ];
  try {
    await runProjection(deps, projection, lease.signal);
  } finally {
    ending.abort();
    await Promise.all(clearing.map(({ close }) => close()));
  }
}
