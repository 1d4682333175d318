import { ApiError } from "#contracts/errors.ts";

/** The same request is being run already: its answer is there a moment later. */
export class InProgress extends ApiError {
  constructor(message: string) {
    super("CONFLICT", message);
  }
}
