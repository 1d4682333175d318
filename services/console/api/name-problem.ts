import { CallError } from "./call.ts";

const CODES: readonly string[] = ["MISSING_NAME", "NAME_TOO_LONG"];

/** What is wrong with the name of a catalogue, which the service tells by its code and not by a field. */
export function nameProblem(error: unknown): string | undefined {
  return error instanceof CallError && CODES.includes(error.code) ? error.message : undefined;
}
