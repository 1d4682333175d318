import type { DatabasePool } from "slonik";
import { projectionLease } from "#contracts/names.ts";
import type { OperatedEventLog, Position } from "#infra/log/event-log.ts";
import { unheldSeconds } from "#infra/postgres/coordination.ts";
import { type ProjectionState, projectionStates } from "#projections/engine/parked.ts";
import type { Check } from "./readiness.ts";

export type ProjectionsCheckDeps = {
  readonly pool: DatabasePool;
  readonly log: Pick<OperatedEventLog, "head" | "ordinal">;
  readonly now: () => Date;
  /** All expected projections, including those that have applied nothing yet. */
  readonly projections: readonly string[];
  /** The log's head at the start of this process. */
  readonly startHead: Position;
};

const UNMOVED: Omit<ProjectionState, "projection"> = {
  position: "",
  updatedAt: new Date(0).toISOString(),
  parked: 0,
  appliedEvents: 0,
};

/**
 * Reports how each read model follows the log. Unhealthy until all have reached the log's head at
 * the start of the process, since readers would miss old data before. Later lag is only reported, and so are
 * parked events, which affect single catalogues, and that no projector works: reads go on.
 */
export function projectionsCheck(deps: ProjectionsCheckDeps): Check {
  const { pool, log, now, projections, startHead } = deps;
  /** The first sample of each projection, from which its speed is measured. */
  const begun = new Map<string, Sample>();
  const caughtUp = new Set<string>();

  function progressOf(state: ProjectionState): string {
    const sample = sampleOf(state, log.ordinal, now());
    const first = begun.get(state.projection) ?? sample;
    begun.set(state.projection, first);
    return progress(first, sample, log.ordinal(startHead));
  }

  function lagOf(state: ProjectionState, head: Position, isCaughtUp: boolean): string {
    if (!isCaughtUp) return progressOf(state);
    if (state.position >= head) return "up to date";
    const stillSeconds = Math.floor((now().getTime() - Date.parse(state.updatedAt)) / 1_000);
    return `behind, last moved ${stillSeconds} s ago`;
  }

  async function judge(state: ProjectionState, head: Position): Promise<Finding> {
    if (state.position >= startHead) caughtUp.add(state.projection);
    const healthy = caughtUp.has(state.projection);
    const unheld = await unheldSeconds(pool, projectionLease(state.projection));
    const lag = lagOf(state, head, healthy);
    return finding(state, unheld === null ? lag : `${lag}${withoutProjector(unheld)}`, healthy);
  }

  return async () => {
    try {
      // The head is read first, so that later appends do not count as lag.
      const head = await log.head();
      const states = await projectionStates(pool);
      const judged = projections.map((projection) => {
        const state = states.find((known) => known.projection === projection);
        return judge(state ?? { ...UNMOVED, projection }, head);
      });
      const findings = await Promise.all(judged);
      return {
        status: findings.every(({ healthy }) => healthy) ? "healthy" : "unhealthy",
        message: findings.map(({ message }) => message).join("; "),
      };
    } catch {
      return { status: "unhealthy", message: "The state of the projections cannot be read" };
    }
  };
}

/** A projector that ends is replaced, or comes again, within so long. */
const UNHELD_SECONDS = 10;

function withoutProjector(seconds: number): string {
  if (seconds < UNHELD_SECONDS) return "";
  const since = Number.isFinite(seconds) ? ` for ${Math.floor(seconds)} s` : "";
  return `, no projector has worked${since}`;
}

type Finding = { readonly healthy: boolean; readonly message: string };

function finding({ projection, parked }: ProjectionState, lag: string, healthy: boolean): Finding {
  if (parked === 0) return { healthy, message: `${projection}: ${lag}` };
  const events = parked === 1 ? "1 event" : `${parked} events`;
  return { healthy, message: `${projection}: ${lag}, ${events} parked` };
}

/** A projection's progress at a time; `ordinal` in the log's numbering. */
type Sample = { readonly ms: number; readonly ordinal: number; readonly events: number };

function sampleOf(
  { position, appliedEvents }: ProjectionState,
  ordinalOf: (position: Position) => number,
  at: Date,
): Sample {
  const ordinal = ordinalOf(position as Position);
  return { ms: at.getTime(), ordinal, events: appliedEvents };
}

/** Share of the log that is applied, speed, and remaining time at that speed. */
function progress(first: Sample, last: Sample, goal: number): string {
  const percent = `${Math.floor((100 * last.ordinal) / goal)} %`;
  const seconds = (last.ms - first.ms) / 1_000;
  const moved = last.ordinal - first.ordinal;
  if (seconds === 0 || moved <= 0) return percent;
  const speed = Math.round((last.events - first.events) / seconds).toLocaleString("en");
  const left = Math.ceil(((goal - last.ordinal) * seconds) / moved);
  return `${percent}, ${speed} events/s, about ${left} s`;
}
