import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUS } from "#contracts/plots/numbers.ts";
import { classesOf, usualScale } from "#services/console/drawing/classes.ts";
import { AGES, GREY, GROUND, KIND_COLOURS, SIX } from "#services/console/drawing/colours.ts";
import {
  type Colour,
  diameterOf,
  diameterOfSize,
  disc,
  discScale,
  drawnDiameter,
  sizesOf,
  UNKNOWN_SIZE,
} from "#services/console/drawing/discs.ts";
import { project, worldSize } from "#services/console/drawing/mercator.ts";
import {
  densitySteps,
  largestOf,
  look,
  nearest,
  roomFor,
  type View,
} from "#services/console/drawing/picture.ts";
import { columnsOf } from "./columns.ts";

describe("classes of events", () => {
  test("of depths begin at 15, 40, 70, 150 and 300 km; what is not known has its own", () => {
    const depth = [-1, 14.9, 15, 40, 69, 70, 150, 299, 300, null];
    const { classOf, classes } = classesOf(columnsOf({ depth }), "depth", "global", 0);
    expect([...classOf]).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 5, 6]);
    expect(classes.map(({ label }) => label)).toEqual([
      "< 15",
      "15–40",
      "40–70",
      "70–150",
      "150–300",
      "≥ 300",
      "unknown",
    ]);
  });

  test("made for their depths hold about as many events each", () => {
    const depth = Array.from({ length: 600 }, (_, i) => 1 + i / 50);
    expect(usualScale(columnsOf({ depth }))).toBe("local");
    const { classOf } = classesOf(columnsOf({ depth }), "depth", "local", 0);
    const counts = Array.from({ length: 6 }, (_, kind) => classOf.filter((k) => k === kind).length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(usualScale(columnsOf({ depth: [1, 20, 50, 100] }))).toBe("global");
  });

  test("above sea level have a true minus", () => {
    const depth = Array.from({ length: 60 }, (_, i) => i / 20 - 2);
    const { classes } = classesOf(columnsOf({ depth }), "depth", "local", 0);
    const labels = classes.map(({ label }) => label);
    expect(labels.slice(0, 2)).toEqual([`< ${MINUS}1.5`, `${MINUS}1.5–${MINUS}1`]);
    expect(labels.join("")).not.toContain("-");
  });

  test("of ages are those of the last hour, day, week and month", () => {
    const now = Date.UTC(2026, 0, 31);
    const hours = [0.5, 2, 25, 24 * 8, 24 * 40];
    const time = hours.map((hour) => now - hour * 3_600_000);
    const { classOf } = classesOf(columnsOf({ time }), "age", "global", now);
    expect([...classOf]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("discs", () => {
  test("are told apart by magnitude: 4 pixels for M 2, 24 for M 6, 44 from M 8 on", () => {
    expect([2, 8, 9.5].map(diameterOf)).toEqual([4, 44, 44]);
    expect(diameterOf(6)).toBeCloseTo(24, 0);
    const magnitudes = [-3, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8].map(diameterOf);
    expect(magnitudes).toEqual(magnitudes.toSorted((a, b) => a - b));
    expect(Math.min(...magnitudes)).toBeGreaterThan(2);
    for (const magnitude of [3, 4, 5, 6, 7]) {
      expect(diameterOf(magnitude + 1) - diameterOf(magnitude)).toBeGreaterThan(3);
    }
  });

  const BLACK: Colour = [0, 0, 0];
  const [small, large] = sizesOf(Float32Array.of(3.4, 7));

  test("have their colour in the middle and the ring around; without a magnitude they are hollow", () => {
    const ink = { fill: [10, 20, 30], ring: [200, 0, 0], ratio: 1, scale: 1 } as const;
    const at = (size = 0, x = 0) => {
      const { dx, dy, rgba } = disc(size, ink);
      const n = dx.findIndex((value, i) => value === x && dy[i] === 0);
      return n < 0 ? null : [...rgba.subarray(4 * n, 4 * n + 4)];
    };
    expect(at(small)?.slice(0, 3)).toEqual([10, 20, 30]);
    expect(at(large)?.slice(0, 3)).toEqual([10, 20, 30]);
    expect(at(large, 16)?.slice(0, 3)).toEqual([200, 0, 0]);
    expect(at(large, 19)).toBeNull();
    expect(at(UNKNOWN_SIZE, 0)).toBeNull();
    expect(at(UNKNOWN_SIZE, 3)?.slice(0, 3)).toEqual([10, 20, 30]);
  });

  test("let through what lies under them, the large ones more of it", () => {
    const coverOf = (size = 0) => {
      const { dx, dy, rgba } = disc(size, { fill: BLACK, ring: BLACK, ratio: 1, scale: 1 });
      return rgba[4 * dx.findIndex((x, i) => x === 0 && dy[i] === 0) + 3] ?? 0;
    };
    expect(coverOf(small)).toBeLessThan(255);
    expect(coverOf(large)).toBeLessThan(coverOf(small));
    expect(coverOf(large)).toBeGreaterThan(80);
  });

  test("lie over each other by size: the smaller one is seen and picked through the larger", () => {
    const sizes = sizesOf(Float32Array.of(7, 3));
    const seen = {
      count: 2,
      x: Int32Array.of(0, 4),
      y: new Int32Array(2),
      index: Uint32Array.of(0, 1),
    };
    expect(nearest(seen, { x: 4, y: 0 }, 1, { sizes, scale: 1 })).toBe(1);
    expect(nearest(seen, { x: -8, y: 0 }, 1, { sizes, scale: 1 })).toBe(0);
  });

  test("are smaller on maps of the world", () => {
    expect(discScale(1)).toBeLessThan(0.7);
    expect(discScale(8)).toBe(1);
  });

  test("are larger in close views: the small ones most, the largest not, in the order of magnitudes", () => {
    const drawn = (magnitude: number) => drawnDiameter(diameterOf(magnitude), discScale(14));
    expect(drawn(2)).toBeGreaterThan(1.5 * diameterOf(2));
    expect(drawn(8)).toBe(diameterOf(8));
    const steps = Array.from({ length: 71 }, (_, i) => drawn(1 + i / 10));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});

describe("shades of a density", () => {
  test("begin at round numbers that ascend from 1 by about equal factors", () => {
    expect(densitySteps(100_000, 5)).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(densitySteps(300, 5)).toEqual([1, 2, 10, 20, 100]);
    expect(densitySteps(1, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});

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

test("classes, ages, kinds of changes and what is not known are told apart by all eyes", () => {
  for (const [eyes, sight] of Object.entries(SIGHTS)) {
    expect(leastOf([...SIX, GREY], sight), eyes).toBeGreaterThan(15);
    expect(leastOf([GREY], sight, GROUNDS), eyes).toBeGreaterThan(20);
    expect(leastOf(KIND_COLOURS, sight), eyes).toBeGreaterThan(15);
    expect(leastOf(AGES, sight), eyes).toBeGreaterThan(10);
  }
});

test("a colour's distance is that of CIE76", () => {
  const black: Colour = [0, 0, 0];
  expect(leastOf([black, [255, 255, 255]], SIGHTS["usual"] ?? [])).toBeCloseTo(100, 1);
});

const degrees = (most: number) =>
  fc.double({ min: -most, max: most, noNaN: true }).map(Math.fround);
const places = fc.array(fc.record({ latitude: degrees(85), longitude: degrees(180) }), {
  maxLength: 40,
});
const views = fc.record({
  left: fc.integer({ min: -3_000, max: 3_000 }),
  top: fc.integer({ min: -500, max: 1_500 }),
  width: fc.integer({ min: 1, max: 1_500 }),
  height: fc.integer({ min: 1, max: 800 }),
  zoom: fc.constantFrom(1, 2.25, 4),
  ratio: fc.constantFrom(1, 2),
});
const MARGIN = 13;

/** Every copy of every event on the endless row of worlds, one after the other. */
function lookedUp(found: readonly { latitude: number; longitude: number }[], view: View) {
  const { x, y } = projectedOf(found);
  const world = worldSize(view.zoom) * view.ratio;
  const seen: string[] = [];
  for (let i = found.length - 1; i >= 0; i--) {
    for (let turn = -40; turn <= 40; turn++) {
      const px = (x[i] ?? 0) * world + turn * world - view.left * view.ratio;
      const py = (y[i] ?? 0) * world - view.top * view.ratio;
      const isIn =
        px > -MARGIN + 1 &&
        px < view.width * view.ratio + MARGIN - 2 &&
        py > -MARGIN + 1 &&
        py < view.height * view.ratio + MARGIN - 2;
      if (isIn) seen.push(`${i} ${Math.round(px / 2)} ${Math.round(py / 2)}`);
    }
  }
  return seen;
}

function projectedOf(found: readonly { latitude: number; longitude: number }[]) {
  return project(
    Float32Array.from(found, ({ latitude }) => latitude),
    Float32Array.from(found, ({ longitude }) => longitude),
  );
}

describe("the events of a view", () => {
  test("are all copies of all events that lie in it, oldest first", () => {
    fc.assert(
      fc.property(places, views, (found, view) => {
        const seen = roomFor(40 * found.length);
        look(projectedOf(found), null, view, MARGIN, seen);
        const listed = Array.from({ length: seen.count }, (_, n) => ({
          index: seen.index[n] ?? 0,
          x: seen.x[n] ?? 0,
          y: seen.y[n] ?? 0,
        }));
        const near = listed.map(({ index, x, y }) => [index, x, y]);
        for (const text of lookedUp(found, view)) {
          const [index = 0, x = 0, y = 0] = text.split(" ").map(Number);
          const hit = near.some(
            ([i, px = 0, py = 0]) =>
              i === index && Math.abs(px - 2 * x) <= 2 && Math.abs(py - 2 * y) <= 2,
          );
          expect(hit).toBe(true);
        }
        const order = listed.map(({ index }) => index);
        expect(order).toEqual(order.toSorted((a, b) => b - a));
        expect(new Set(near.map(String)).size).toBe(near.length);
      }),
    );
  });

  test("are only those that are shown", () => {
    const seen = roomFor(3);
    const found = [-1, 0, 1].map((longitude) => ({ latitude: 0, longitude }));
    const view = { left: 0, top: 0, width: 512, height: 512, zoom: 1, ratio: 1 };
    look(projectedOf(found), Uint32Array.of(0, 2), view, MARGIN, seen);
    expect([...seen.index.subarray(0, seen.count)]).toEqual([2, 0]);
  });
});

const pickables = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 100 }),
    y: fc.integer({ min: 0, max: 100 }),
    magnitude: fc.option(fc.double({ min: 0, max: 9, noNaN: true }), { nil: Number.NaN }),
  }),
  { maxLength: 60 },
);

function seenOf(found: readonly { x: number; y: number }[]) {
  const seen = roomFor(found.length);
  for (const [n, { x, y }] of found.entries()) {
    seen.x[n] = x;
    seen.y[n] = y;
    seen.index[n] = n;
  }
  seen.count = found.length;
  return seen;
}

describe("the event at a place", () => {
  test("is that whose middle is nearest in parts of its radius, of equal ones the smallest, the topmost", () => {
    fc.assert(
      fc.property(pickables, fc.nat(100), fc.nat(100), (found, x, y) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const diameters = [...sizes].map(diameterOfSize);
        const inside = found.flatMap((one, n) =>
          Math.hypot(one.x - x, one.y - y) <= (diameters[n] ?? 0) / 2 ? [n] : [],
        );
        const hit = nearest(seenOf(found), { x, y }, 1, { sizes, scale: 1 });
        const partOf = (n: number) =>
          Math.hypot((found[n]?.x ?? 0) - x, (found[n]?.y ?? 0) - y) / ((diameters[n] ?? 0) / 2);
        if (inside.length > 0) {
          const [first] = inside.toSorted(
            (a, b) => partOf(a) - partOf(b) || (diameters[a] ?? 0) - (diameters[b] ?? 0) || b - a,
          );
          expect(hit).toBe(first);
        } else if (hit !== null) {
          const one = found[hit] ?? { x: 1_000, y: 0 };
          const far = Math.hypot(one.x - x, one.y - y) - (diameters[hit] ?? 0) / 2;
          expect(far).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test("is each one at its own middle, however many lie upon it or below it", () => {
    fc.assert(
      fc.property(pickables, (found) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const seen = seenOf(found);
        for (const { x, y } of found) {
          const hit = found[nearest(seen, { x, y }, 1, { sizes, scale: 1 }) ?? -1];
          expect([hit?.x, hit?.y]).toEqual([x, y]);
        }
      }),
    );
  });
});

describe("the largest of the seen events", () => {
  test("are the events with the largest discs, no more than asked for, in their order", () => {
    fc.assert(
      fc.property(pickables, fc.integer({ min: 1, max: 20 }), (found, most) => {
        const sizes = sizesOf(Float32Array.from(found, ({ magnitude }) => magnitude));
        const large = largestOf(seenOf(found), sizes, most);
        const chosen = [...large.index.subarray(0, large.count)];
        expect(chosen.length).toBeLessThanOrEqual(most);
        expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
        const known = (n: number) => sizes[n] !== UNKNOWN_SIZE;
        const least = Math.min(...chosen.map((n) => sizes[n] ?? 0), 256);
        const left = found.flatMap((_, n) =>
          known(n) && !chosen.includes(n) ? [sizes[n] ?? 0] : [],
        );
        expect(chosen.every(known)).toBe(true);
        expect(Math.max(...left, 0)).toBeLessThan(Math.max(least, 1));
      }),
    );
  });
});
