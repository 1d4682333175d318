import type { Logger } from "pino";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { withLease } from "#infra/postgres/lease.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { type ProjectionDeps, runProjection } from "#projections/engine/run-projection.ts";

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

export type Projector = { readonly close: () => Promise<void> };

/** Runs every projection under its lease: one of all processes works and the others stand by. */
export function startProjector(deps: ProjectorDeps): Projector {
  const stopping = new AbortController();
  const running = deps.projections.map(async (projection) => {
    try {
      await withLease(
        deps.databaseUrl,
        `projection ${projection.name}`,
        {
          signal: stopping.signal,
          log: deps.logger,
          holder: deps.holder,
          openSocket: deps.openSocket,
        },
        (lease) => runProjection({ ...deps, lease }, projection, lease.signal),
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
