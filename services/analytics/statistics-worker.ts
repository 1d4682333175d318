/** Entry point of the threads of long statistics: simulations must not block other requests. */

import type { MagnitudeHistogram } from "#contracts/analytics/histogram.ts";
import { workerTask } from "#infra/threads/task.ts";
import {
  type BootstrapOptions,
  bootstrapB as bootstrap,
  bootstrapMovedB as bootstrapMoved,
  type MagnitudeClass,
} from "#services/domain/analytics/magnitudes/bootstrap.ts";
import {
  type KsOptions,
  ksFits,
  type LillieforsOptions,
  lillieforsFits,
} from "#services/domain/analytics/magnitudes/law-tests.ts";
import { fitDecay, type OmoriWindow } from "#services/domain/analytics/rates/omori-utsu.ts";
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
