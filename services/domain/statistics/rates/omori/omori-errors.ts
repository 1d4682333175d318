import type { OmoriParameters } from "./omori-fit.ts";
import { logMoment, type OmoriWindow } from "./omori-integrals.ts";

export type OmoriErrors = {
  readonly sigmaK: number | null;
  readonly sigmaC: number | null;
  readonly sigmaP: number | null;
};

/**
 * Standard errors from the inverse of the expected Fisher information in (K, c, p), whose elements are
 * ∫ ∂aλ · ∂bλ / λ dt over the window (Ogata 1983). null where it has no inverse.
 */
export function omoriErrors({ K, c, p }: OmoriParameters, window: OmoriWindow): OmoriErrors {
  const moment = (q: number, k: number) => logMoment(q, k, { c, window });
  const kk = moment(p, 0) / K;
  const kc = -p * moment(p + 1, 0);
  const kp = -moment(p, 1);
  const cc = p * p * K * moment(p + 2, 0);
  const cp = p * K * moment(p + 1, 1);
  const pp = K * moment(p, 2);
  const minorK = cc * pp - cp * cp;
  const minorC = kk * pp - kp * kp;
  const minorP = kk * cc - kc * kc;
  const determinant = kk * minorK - kc * (kc * pp - cp * kp) + kp * (kc * cp - cc * kp);
  return {
    sigmaK: rootOrNull(minorK / determinant),
    sigmaC: rootOrNull(minorC / determinant),
    sigmaP: rootOrNull(minorP / determinant),
  };
}

function rootOrNull(variance: number): number | null {
  return variance >= 0 && Number.isFinite(variance) ? Math.sqrt(variance) : null;
}
