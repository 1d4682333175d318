import { Refusal } from "#contracts/errors.ts";

/** A parameter whose value cannot be taken, or not with the others. @param message a predicate */
export function faultyParameter(field: string, message: string): Refusal {
  return new Refusal("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });
}
