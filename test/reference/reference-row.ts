import type { CatalogueName } from "./reference-catalogues.ts";

/** What a row asks the service. */
export type Question =
  | {
      /** Below `/analytics/`. */
      readonly path: string;
      readonly catalogue: CatalogueName;
      /** Beside those filters that belong to the catalogue. */
      readonly query?: Readonly<Record<string, string | number>>;
      /** Instead of a query, for what is posted. */
      readonly body?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly compare: readonly [a: CatalogueName, b: CatalogueName];
      readonly timeThreshold: number;
      readonly distanceThreshold: number;
      readonly eta?: number;
    };

/** A question, and what its answer must have. */
export type Check = {
  readonly ask: Question;
  /**
   * By the place in the answer (`value-at.ts`): the text that stands there, or the number to the digits
   * with which it is written here.
   */
  readonly expect: Readonly<Record<string, string>>;
};

/** A result that another program has computed of the same events. */
export type ReferenceRow = {
  readonly row: number;
  readonly what: string;
  readonly checks: readonly Check[];
};
