/**
 * `choice` is one of `options`, `list` a comma list, of `options` where there are any; both in any
 * case.
 */
export type ParameterKind =
  | "time"
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "list"
  | "text"
  | "version";

/**
 * Where a parameter comes from: `FDSN`, FDSN Web Service Specification 1.1, fdsnws-event, query, with
 * the parameters of all services; `FDSN 1.2`, added there; `ComCat`, `SeisComP` and `INGV`, extensions of
 * those services; `own`, one of this service.
 */
export type ParameterSource = "FDSN" | "FDSN 1.2" | "ComCat" | "SeisComP" | "INGV" | "own";

export type Parameter = {
  readonly source: ParameterSource;
  readonly kind: ParameterKind;
  readonly meaning: string;
  readonly aliases?: readonly string[];
  /** The standard requires services to support it. */
  readonly required?: true;
  /** What its absence means, where the standard or the service says so. */
  readonly default?: string;
  /** Inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** The bounds in words, for error texts, which may hold no further numbers. */
  readonly range?: string;
  readonly options?: readonly string[];
};
