import { type FragmentSqlToken, sql } from "slonik";
import { inWidths } from "./selection.ts";

/** A magnitude's bin ⌊m / binWidth + 0.5 + 10⁻¹²⌋, as `binOf` has it, or with width 0 itself. */
export function magnitudeBin(binWidth: number): FragmentSqlToken {
  const magnitude = sql.fragment`magnitude`;
  return binWidth === 0
    ? magnitude
    : sql.fragment`floor(${inWidths(magnitude, binWidth)} + (0.5 + 1e-12::double precision))`;
}
