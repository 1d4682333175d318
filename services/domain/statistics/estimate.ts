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
