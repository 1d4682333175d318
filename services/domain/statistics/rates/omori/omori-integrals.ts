import { integrate } from "../../numbers/gauss-legendre.ts";

/** A window of days after the main event. */
export type OmoriWindow = { readonly start: number; readonly end: number };

/** Near p = 1 the closed form loses its digits, the series does not. */
const NEAR_ONE = 1e-4;

/**
 * ∫ (t + c)^−p dt over the window: Λ / K of Omori and Utsu's law. With L = ln((T + c)/(S + c)) it is
 * (S + c)^(1−p) · (e^((1−p)L) − 1)/(1 − p), which is L at p = 1.
 */
export function omoriIntegral(c: number, p: number, { start, end }: OmoriWindow): number {
  const span = Math.log((end + c) / (start + c));
  const x = (1 - p) * span;
  const factor =
    Math.abs(x) < NEAR_ONE ? 1 + (x / 2) * (1 + (x / 3) * (1 + x / 4)) : Math.expm1(x) / x;
  return (start + c) ** (1 - p) * span * factor;
}

/** ∫ (t + c)^−q · ln(t + c)^k dt over the window, by quadrature in ln(t + c), where it is smooth. */
export function logMoment(
  q: number,
  k: number,
  { c, window: { start, end } }: { readonly c: number; readonly window: OmoriWindow },
): number {
  return integrate((y) => y ** k * Math.exp((1 - q) * y), {
    from: Math.log(start + c),
    to: Math.log(end + c),
    panel: 0.5,
  });
}
