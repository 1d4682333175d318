import type { Registry } from "prom-client";
import { createWaitMetric, registerAnswerUse } from "#infra/metrics/answer-metrics.ts";
import { ANSWER_LIMITS } from "./answer-limits.ts";
import { type AnswerPlaces, createAnswerPlaces } from "./answer-places.ts";

/** The places of a gateway's answers, measured. */
export function openAnswerPlaces(registry: Registry): AnswerPlaces {
  const observe = createWaitMetric(registry);
  const places = createAnswerPlaces({
    limits: ANSWER_LIMITS,
    // Of all others, which seldom wait, it would cost more than it tells.
    onTurn: (kind, waitedMs) => kind !== "others" && observe(kind, waitedMs),
  });
  registerAnswerUse(registry, places.use);
  return places;
}
