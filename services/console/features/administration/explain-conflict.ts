import { CallError } from "../../api/call-error.ts";

const WHY =
  "Somebody has to be able to manage the accounts: make another person administrator first";

/** A conflict comes from another administrator who did the like to this one at the same moment. */
export function explainConflict(error: unknown): unknown {
  if (!(error instanceof CallError) || error.status !== 409) return error;
  return new CallError(`${error.message}. ${WHY}`, error);
}
