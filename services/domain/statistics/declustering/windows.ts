import type { WindowName } from "#contracts/decluster.ts";

/**
 * Space–time windows of Gardner & Knopoff (1974) and later ones: how far (km) and how long (days) the
 * aftershocks of an event of a magnitude reach.
 */
export type Window = {
  readonly km: (magnitude: number) => number;
  readonly days: (magnitude: number) => number;
};

/** The first magnitude of the table, and its step. */
export const TABLE_FIRST = 2.5;
const TABLE_STEP = 0.5;
/** Gardner & Knopoff 1974, table 1, from magnitude 2.5 to 8. */
const TABLE_KM = [19.5, 22.5, 26, 30, 35, 40, 47, 54, 61, 70, 81, 94];
const TABLE_DAYS = [6, 11.5, 22, 42, 83, 155, 290, 510, 790, 915, 960, 985];

/** From this magnitude on durations grow slowly. */
const LARGE = 6.5;

export const WINDOWS: Readonly<Record<WindowName, Window>> = {
  /** Fits of the table, as van Stiphout, Zhuang & Marsan (2012), table 1, have them. */
  "gk-fit": {
    km: (m) => 10 ** (0.1238 * m + 0.983),
    days: (m) => 10 ** (m < LARGE ? 0.5409 * m - 0.547 : 0.032 * m + 2.7389),
  },
  "gk-table": { km: (m) => fromTable(TABLE_KM, m), days: (m) => fromTable(TABLE_DAYS, m) },
  /** Uhrhammer 1986, as van Stiphout, Zhuang & Marsan (2012), table 1. */
  uhrhammer: {
    km: (m) => Math.exp(-1.024 + 0.804 * m),
    days: (m) => Math.exp(-2.87 + 1.235 * m),
  },
  /** Grünthal, as van Stiphout, Zhuang & Marsan (2012), table 1; constant below magnitude 0. */
  gruenthal: {
    km: (m) => Math.exp(1.77 + Math.sqrt(0.037 + 1.02 * Math.max(0, m))),
    days: (m) =>
      m < LARGE
        ? Math.exp(-3.95 + Math.sqrt(0.62 + 17.32 * Math.max(0, m)))
        : 10 ** (2.8 + 0.024 * m),
  },
};

/** Linear between the rows, constant beyond them. */
function fromTable(values: readonly number[], magnitude: number): number {
  const last = values.length - 1;
  const place = Math.max(0, Math.min(last, (magnitude - TABLE_FIRST) / TABLE_STEP));
  const row = Math.min(Math.floor(place), last - 1);
  const [low = 0, high = 0] = values.slice(row, row + 2);
  return low + (high - low) * (place - row);
}
