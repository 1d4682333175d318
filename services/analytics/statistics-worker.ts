/** Entry point of the threads of long statistics: simulations must not block other requests. */

import type { MagnitudeHistogram } from "#contracts/magnitude-histogram.ts";
import { workerTask } from "#infra/threads/task.ts";
import {
  type BootstrapOptions,
  bootstrapB as bootstrap,
  bootstrapMovedB as bootstrapMoved,
} from "#services/domain/statistics/magnitudes/bootstrap.ts";
import {
  type LillieforsOptions,
  lillieforsFits,
} from "#services/domain/statistics/magnitudes/lilliefors.ts";
import type { MagnitudeClass } from "#services/domain/statistics/magnitudes/moved-histogram.ts";
import { type KsOptions, ksFits } from "#services/domain/statistics/magnitudes/simulated-ks.ts";
import { fitDecay } from "#services/domain/statistics/rates/omori/fit-decay.ts";
import type { OmoriWindow } from "#services/domain/statistics/rates/omori/omori-integrals.ts";
import { doublesOf } from "./doubles.ts";

export const testBySimulation = workerTask(
  ({ histogram, ...options }: KsOptions & { readonly histogram: MagnitudeHistogram }) =>
    ksFits(histogram, options),
);

/** `magnitudes` as PostgreSQL sends doubles, in any order. */
export const testExponential = workerTask(
  ({ magnitudes, ...options }: LillieforsOptions & { readonly magnitudes: Uint8Array }) =>
    lillieforsFits(doublesOf(magnitudes).sort(), options),
);

export const bootstrapB = workerTask(
  ({
    histogram,
    bin,
    ...options
  }: BootstrapOptions & { readonly histogram: MagnitudeHistogram; readonly bin: number }) =>
    bootstrap(histogram, bin, options),
);

/** `classes` as `magnitudeErrors` gives them. */
export const bootstrapMovedB = workerTask(
  ({
    classes,
    binWidth,
    bin,
    ...options
  }: BootstrapOptions & {
    readonly classes: Uint8Array;
    readonly binWidth: number;
    readonly bin: number;
  }) => bootstrapMoved(classesOf(doublesOf(classes)), binWidth, bin, options),
);

function classesOf(numbers: Float64Array): MagnitudeClass[] {
  return Array.from({ length: numbers.length / 3 }, (_, i) => {
    const [magnitude = 0, sigma = 0, events = 0] = numbers.subarray(3 * i, 3 * i + 3);
    return { magnitude, sigma, events };
  });
}

/** `days` as PostgreSQL sends doubles. */
export const fitAftershocks = workerTask(
  ({ days, window }: { readonly days: Uint8Array; readonly window: OmoriWindow }) =>
    fitDecay(doublesOf(days), window),
);
