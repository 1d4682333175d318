import { SetDecisionsBody } from "#contracts/http/merges/merged-catalogue.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import { parseBody } from "#infra/json/json-body.ts";
import { validate } from "#infra/json/validation.ts";

/** The decisions of a body. @throws Refusal INVALID_JSON, VALIDATION_ERROR */
export function submittedDecisions(body: Uint8Array): readonly MergeDecision[] {
  return validate(SetDecisionsBody, parseBody(body)).decisions;
}
