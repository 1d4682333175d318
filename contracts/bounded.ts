import type { z } from "zod";

export type NumberBounds = { readonly min?: number | undefined; readonly max?: number | undefined };

/** The schema of a number with inclusive bounds, of which either may be absent. */
export function bounded<S extends z.ZodNumber>(schema: S, { min, max }: NumberBounds): S {
  let result = schema;
  if (min !== undefined) result = result.min(min) as S;
  if (max !== undefined) result = result.max(max) as S;
  return result;
}
