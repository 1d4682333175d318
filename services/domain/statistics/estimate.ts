/** An estimate, or why there is none: too few events are no error. */
export type Estimate<T> =
  | { readonly estimate: T }
  | {
      readonly estimate: null;
      readonly reason: string;
      /** Events that there are for it, and that it needs. */
      readonly n: number;
      readonly required: number;
    };

/** Why there is no estimate. @param reason a clause */
export function noEstimate(reason: string, n: number, required: number): Estimate<never> {
  return { estimate: null, reason, n, required };
}
