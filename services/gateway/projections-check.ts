import type { DatabasePool } from "slonik";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { type ProjectionState, projectionStates } from "#projections/queries/projection-lag.ts";
import type { Check } from "./readiness.ts";

/** A projection that is behind and has not moved for so long does not work. */
const STALLED_MS = 60_000;

export type ProjectionsCheckDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<EventLog, "head">;
  readonly now: () => Date;
};

type Finding = { readonly healthy: boolean; readonly message: string };

/**
 * Tells of every projection whether its read model has followed the log (contract §8). Unhealthy
 * when one is behind and stands still. Parked events are told of, but concern single catalogues,
 * which show it themselves: all others are served as ever.
 */
export function projectionsCheck({ pool, log, now }: ProjectionsCheckDeps): Check {
  /** In a quiet system checkpoints grow old; a projection is late only since it was last seen current. */
  const currentAt = new Map<string, number>();

  function judge(state: ProjectionState, head: string): Finding {
    const time = now().getTime();
    if (state.position >= head) {
      currentAt.set(state.projection, time);
      return finding(state, "up to date", true);
    }
    const since = Math.max(Date.parse(state.updatedAt), currentAt.get(state.projection) ?? 0);
    const stillMs = time - since;
    if (stillMs < STALLED_MS) return finding(state, "behind", true);
    return finding(state, `behind, unmoved for ${Math.floor(stillMs / 1_000)} s`, false);
  }

  return async () => {
    try {
      // The head first: what is appended meanwhile puts no projection behind.
      const head = await log.head();
      const findings = (await projectionStates(pool)).map((state) => judge(state, head));
      return {
        status: findings.every(({ healthy }) => healthy) ? "healthy" : "unhealthy",
        message: findings.map(({ message }) => message).join("; ") || "no projection has run yet",
      };
    } catch {
      return { status: "unhealthy", message: "The state of the projections cannot be read" };
    }
  };
}

function finding({ projection, parked }: ProjectionState, lag: string, moving: boolean): Finding {
  if (parked === 0) return { healthy: moving, message: `${projection}: ${lag}` };
  const events = parked === 1 ? "1 event" : `${parked} events`;
  return { healthy: moving, message: `${projection}: ${lag}, ${events} parked` };
}
