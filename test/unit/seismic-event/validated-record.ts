import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  type ValidationOptions,
  validateEvent,
} from "#services/domain/events/validation/validate-event.ts";

export const NOW = { nowMs: Date.parse("2026-01-01T00:00:00Z") };
const TIME = "2011-03-11T05:46:23.120Z";
export const MINIMAL = { time: TIME, latitude: 38.3, longitude: 142.4, magnitude: 9.1 };
export const MINIMAL_RECORD = { ...emptyRecord(MINIMAL), magnitude: 9.1 };

/** The record made of the smallest valid event with `more`; a refused one fails the test. */
export function recordOf(more: object, options: ValidationOptions = NOW): SeismicEventRecord {
  return recordOfWhole({ ...MINIMAL, ...more }, options);
}

export function recordOfWhole(event: object, options: ValidationOptions = NOW): SeismicEventRecord {
  const result = validateEvent(event, options);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.record;
}

/** The errors of the smallest valid event with `more`, as "field message". */
export function errorsOf(more: object, options: ValidationOptions = NOW): string[] {
  const result = validateEvent({ ...MINIMAL, ...more }, options);
  return result.ok ? [] : result.errors.map(({ field, message }) => `${field} ${message}`);
}
