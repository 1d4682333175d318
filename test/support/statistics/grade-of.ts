import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  EVALUATION_PART,
  type Grade,
  gradeOfQuality,
  MEASURED_PARTS,
  type MeasuredAttribute,
  type PenaltyRule,
} from "#services/domain/statistics/quality/quality-rules.ts";

/** What the grade of an event depends on; a 0 counts as a value. */
export type GradedEvent = Pick<
  SeismicEventRecord,
  MeasuredAttribute | "evaluation_mode" | "evaluation_status"
>;

export type EventGrade = {
  /** 0 to 100, a whole number. */
  readonly q: number;
  readonly grade: Grade;
  /** The part of the 100 points that depends on values that are known, 0 to 1. */
  readonly documented: number;
};

/** So that a half is rounded up, whatever the sum of the weighted parts leaves of it. */
const TOLERANCE = 1e-9;

/**
 * The quality Q of an event's solution and its grade, as the Catalogue of Catalogues (CofC) gives them:
 * the weighted mean of location, network, solution, magnitude and evaluation, rounded half up.
 */
export function gradeOf(event: GradedEvent): EventGrade {
  let points = 0;
  let documented = 0;
  for (const { weight, rules } of MEASURED_PARTS) {
    let penalty = 0;
    let known = 0;
    for (const rule of rules) {
      const value = event[rule.attribute];
      penalty += penaltyOf(rule, value);
      if (value !== null) known += rule.worst;
    }
    points += weight * (100 - penalty);
    documented += weight * (known / 100);
  }
  points += EVALUATION_PART.weight * (100 - evaluationPenalty(event));
  documented += EVALUATION_PART.weight * knownEvaluation(event);
  const q = Math.floor(points + (0.5 + TOLERANCE));
  return { q, grade: gradeOfQuality(q), documented };
}

function penaltyOf({ worst, pieces }: PenaltyRule, value: number | null): number {
  if (value === null) return worst;
  const piece = pieces.find(({ below }) => below === null || value < below);
  return piece === undefined ? worst : piece.base + piece.slope * (value - piece.from);
}

function evaluationPenalty({ evaluation_mode: mode, evaluation_status: status }: GradedEvent) {
  const statuses: Readonly<Record<string, number>> = EVALUATION_PART.statuses;
  const ofStatus = status === null ? EVALUATION_PART.noStatus : (statuses[status] ?? 0);
  return Math.min(100, (mode === "manual" ? 0 : EVALUATION_PART.notManual) + ofStatus);
}

/** Mode and status of the evaluation are a half each. */
function knownEvaluation({ evaluation_mode: mode, evaluation_status: status }: GradedEvent) {
  return (mode === null ? 0 : 0.5) + (status === null ? 0 : 0.5);
}
