import type { DatabasePool } from "slonik";
import type { Position } from "#infra/event-log/event-log.ts";
import type { OperatedEventLog } from "#infra/event-log/operated-event-log.ts";
import { type ProjectionState, projectionStates } from "#projections/queries/projection-lag.ts";
import type { Check } from "./readiness.ts";

export type ProjectionsCheckDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<OperatedEventLog, "head" | "ordinal">;
  readonly now: () => Date;
  /** Every projection that there should be, also one that has applied nothing yet. */
  readonly projections: readonly string[];
  /** The head that the log had when this process started. */
  readonly startHead: Position;
};

const UNMOVED: Omit<ProjectionState, "projection"> = {
  position: "",
  updatedAt: new Date(0).toISOString(),
  parked: 0,
  appliedEvents: 0,
};

/**
 * Tells of every projection how its read model follows the log. Unhealthy until each has reached the
 * head that the log had when the process started: until then readers would miss what was stored long
 * ago. Later lag is told, and so are parked events, which concern single catalogues.
 */
export function projectionsCheck(deps: ProjectionsCheckDeps): Check {
  const { pool, log, now, projections, startHead } = deps;
  /** The first look at each projection, from which its speed is measured. */
  const begun = new Map<string, Sample>();
  const caughtUp = new Set<string>();

  function progressOf(state: ProjectionState): string {
    const sample = sampleOf(state, log.ordinal, now());
    const first = begun.get(state.projection) ?? sample;
    begun.set(state.projection, first);
    return progress(first, sample, log.ordinal(startHead));
  }

  function judge(state: ProjectionState, head: Position): Finding {
    if (state.position >= startHead) caughtUp.add(state.projection);
    const healthy = caughtUp.has(state.projection);
    if (!healthy) return finding(state, progressOf(state), false);
    if (state.position >= head) return finding(state, "up to date", true);
    const stillSeconds = Math.floor((now().getTime() - Date.parse(state.updatedAt)) / 1_000);
    return finding(state, `behind, last moved ${stillSeconds} s ago`, true);
  }

  return async () => {
    try {
      // The head first: what is appended meanwhile puts no projection behind.
      const head = await log.head();
      const states = await projectionStates(pool);
      const findings = projections.map((projection) => {
        const state = states.find((known) => known.projection === projection);
        return judge(state ?? { ...UNMOVED, projection }, head);
      });
      return {
        status: findings.every(({ healthy }) => healthy) ? "healthy" : "unhealthy",
        message: findings.map(({ message }) => message).join("; "),
      };
    } catch {
      return { status: "unhealthy", message: "The state of the projections cannot be read" };
    }
  };
}

type Finding = { readonly healthy: boolean; readonly message: string };

function finding({ projection, parked }: ProjectionState, lag: string, healthy: boolean): Finding {
  if (parked === 0) return { healthy, message: `${projection}: ${lag}` };
  const events = parked === 1 ? "1 event" : `${parked} events`;
  return { healthy, message: `${projection}: ${lag}, ${events} parked` };
}

/** Where a projection stood at a time; `ordinal` as the log counts. */
type Sample = { readonly ms: number; readonly ordinal: number; readonly events: number };

function sampleOf(
  { position, appliedEvents }: ProjectionState,
  ordinalOf: (position: Position) => number,
  at: Date,
): Sample {
  const ordinal = ordinalOf(position as Position);
  return { ms: at.getTime(), ordinal, events: appliedEvents };
}

/** How much of the log is applied, how fast, and how long the rest takes at that speed. */
function progress(first: Sample, last: Sample, goal: number): string {
  const percent = `${Math.floor((100 * last.ordinal) / goal)} %`;
  const seconds = (last.ms - first.ms) / 1_000;
  const moved = last.ordinal - first.ordinal;
  if (seconds === 0 || moved <= 0) return percent;
  const speed = Math.round((last.events - first.events) / seconds).toLocaleString("en");
  const left = Math.ceil(((goal - last.ordinal) * seconds) / moved);
  return `${percent}, ${speed} events/s, about ${left} s`;
}
