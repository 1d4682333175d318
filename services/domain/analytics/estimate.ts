/** Why there is no estimate, of how many events, and how many it needs. */
export type NoEstimate = {
  readonly estimate: null;
  readonly reason: string;
  readonly n: number;
  readonly required: number;
};

/** An estimate, or why there is none: too few events are no error. */
export type Estimate<T> = { readonly estimate: T } | NoEstimate;

/** @param reason a clause */
export function noEstimate(reason: string, n: number, required: number): NoEstimate {
  return { estimate: null, reason, n, required };
}

/** What a reader has to know of a result; the code is stable, the message a sentence without a full stop. */
export type Warning = { readonly code: string; readonly message: string };
