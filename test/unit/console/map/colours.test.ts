import { describe, expect, test } from "vitest";
import { AGES, GREY, GROUND, KIND_COLOURS, SIX } from "#services/console/drawing/colours.ts";
import type { Colour } from "#services/console/drawing/discs.ts";

type Matrix = readonly (readonly [number, number, number])[];

/** Machado, Oliveira and Fernandes (2009), table 1, severity 1, on linear light. */
const SIGHTS: Readonly<Record<string, Matrix>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const linear = (value: number) =>
  value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
const within = (value: number) => Math.max(0, Math.min(1, value));

/** CIE L*a*b*, of sRGB under D65, as somebody sees it. */
function labOf(colour: readonly number[], sight: Matrix): readonly number[] {
  const light = colour.map(linear);
  const [r = 0, g = 0, b = 0] = sight.map((row) =>
    within(row.reduce((sum, share, i) => sum + share * (light[i] ?? 0), 0)),
  );
  const [x, y, z] = [
    (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
    0.2126729 * r + 0.7151522 * g + 0.072175 * b,
    (0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883,
  ].map((t) => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116)) as [
    number,
    number,
    number,
  ];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The least CIE76 ΔE of these to each other, or to those. */
function leastOf(colours: readonly Colour[], sight: Matrix, others?: readonly Colour[]): number {
  const pairs = colours.flatMap((one, i) =>
    (others ?? colours.slice(i + 1)).map((other) => [one, other] as const),
  );
  return Math.min(
    ...pairs.map(([one, other]) => {
      const to = labOf(other, sight);
      return Math.hypot(...labOf(one, sight).map((value, i) => value - (to[i] ?? 0)));
    }),
  );
}

const GROUNDS = Object.values(GROUND).flatMap(({ land, lake }) =>
  [land, lake].map((hex) => {
    const value = Number.parseInt(hex.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255] as const;
  }),
);

describe.each(Object.entries(SIGHTS))("seen by %s eyes", (_name, sight) => {
  test("the six classes and what is not known are told apart", () => {
    expect(leastOf([...SIX, GREY], sight)).toBeGreaterThan(15);
  });

  test("what is not known is seen on every ground", () => {
    expect(leastOf([GREY], sight, GROUNDS)).toBeGreaterThan(20);
  });

  test("kinds of changes are told apart", () => {
    expect(leastOf(KIND_COLOURS, sight)).toBeGreaterThan(15);
  });

  test("ages are told apart", () => {
    expect(leastOf(AGES, sight)).toBeGreaterThan(10);
  });
});

test("a colour's distance is that of CIE76", () => {
  const black: Colour = [0, 0, 0];
  expect(leastOf([black, [255, 255, 255]], SIGHTS["usual"] ?? [])).toBeCloseTo(100, 1);
});
