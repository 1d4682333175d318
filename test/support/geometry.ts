import fc from "fast-check";
import type { Position, Ring, Shape } from "#contracts/geometry/shape.ts";

/** Where shapes are drawn: their places meet each other often, at the antimeridian and at poles too. */
type Sheet = {
  readonly longitude: fc.Arbitrary<number>;
  readonly latitude: fc.Arbitrary<number>;
};

/** Points of a lattice, from each of which there are few others. */
function lattice(from: number, step: number, steps: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: steps }).map((i) => Number((from + i * step).toFixed(9)));
}

const SHEETS: readonly Sheet[] = [
  { longitude: lattice(170, 1, 6), latitude: lattice(-42, 1, 6) },
  { longitude: lattice(174.05, 0.1, 4), latitude: lattice(-41.3, 0.1, 4) },
  // Across the antimeridian, from either side and by a whole turn more.
  { longitude: lattice(177, 1, 6), latitude: lattice(-3, 1, 6) },
  { longitude: lattice(-183, 1, 6), latitude: lattice(-3, 1, 6) },
  { longitude: lattice(354, 1, 6), latitude: lattice(50, 0.5, 6) },
  { longitude: lattice(-360, 0.001, 6), latitude: lattice(0, 0.001, 6) },
  // Around the Earth and more, and poles.
  { longitude: lattice(-360, 60, 12), latitude: lattice(-90, 30, 6) },
  { longitude: lattice(-180, 90, 4), latitude: lattice(87, 1, 3) },
  { longitude: lattice(-200, 100, 4), latitude: lattice(-90, 1, 3) },
  // Numbers of many digits, and tiny ones.
  {
    longitude: fc.double({ min: 170, max: 190, noNaN: true }),
    latitude: fc.double({ min: -45, max: -35, noNaN: true }),
  },
  {
    longitude: fc.constantFrom(0, 1e-300, -1e-300, 5e-324, 1e-12, 1e-9, 1, -0),
    latitude: fc.constantFrom(0, 1e-300, -1e-300, 5e-324, 1e-12, 1e-9, 1, -0),
  },
  {
    longitude: fc.double({ min: -360, max: 360, noNaN: true }),
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  },
];

function positionOn({ longitude, latitude }: Sheet): fc.Arbitrary<Position> {
  return fc.tuple(longitude, latitude);
}

function shapeOn(sheet: Sheet, vertices: number): fc.Arbitrary<Shape> {
  const position = positionOn(sheet);
  const ring = fc.array(position, { minLength: 3, maxLength: vertices }).map(closed);
  const polygon = fc.array(ring, { minLength: 1, maxLength: 3 });
  const polygons = fc.array(polygon, { minLength: 1, maxLength: 3 });
  const anyShape = fc.record({
    polygons: fc.array(polygon, { maxLength: 2 }),
    lines: fc.array(fc.array(position, { minLength: 2, maxLength: 4 }), { maxLength: 2 }),
    points: fc.array(position, { minLength: 1, maxLength: 2 }),
  });
  return fc.oneof(
    { weight: 4, arbitrary: polygons.map((area) => ({ polygons: area, lines: [], points: [] })) },
    anyShape,
  );
}

/** Where events can be: on vertices and between them, on the same lattice, and anywhere. */
function placesFor(sheet: Sheet, { polygons, lines, points }: Shape): fc.Arbitrary<Position> {
  const positions = [...polygons.flat(2), ...lines.flat(), ...points];
  const vertex = fc.constantFrom(...positions);
  const middle = fc
    .tuple(fc.nat(positions.length - 1), fc.constantFrom(0.5, 0.25))
    .map(([i, share]): Position => {
      const [a, b] = [positions[i] as Position, (positions[i + 1] ?? positions[i]) as Position];
      return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
    });
  const antimeridian = fc.tuple(fc.constantFrom(-180, 180), sheet.latitude);
  const anywhere = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );
  return fc
    .oneof(
      { weight: 3, arbitrary: positionOn(sheet) },
      vertex,
      { weight: 2, arbitrary: middle },
      antimeridian,
      anywhere,
    )
    .map(onGlobe);
}

/** As events have them; −0 is 0. */
function onGlobe([longitude, latitude]: Position): Position {
  const turns = Math.round(longitude / 360);
  const x = Number((longitude - 360 * turns).toFixed(15));
  return [Math.min(180, Math.max(-180, x)) + 0, Math.min(90, Math.max(-90, latitude)) + 0];
}

/** A shape and places in it, out of it and on its edges. */
export function shapeAndPlaces(
  vertices: number,
  places: number,
): fc.Arbitrary<readonly [Shape, readonly Position[]]> {
  return fc
    .constantFrom(...SHEETS)
    .chain((sheet) =>
      shapeOn(sheet, vertices).chain((shape) =>
        fc.tuple(
          fc.constant(shape),
          fc.array(placesFor(sheet, shape), { minLength: places, maxLength: places }),
        ),
      ),
    );
}

/** Coordinates as whole numbers of one unit, so that nothing is rounded. */
type Exact = readonly [x: bigint, y: bigint];

/**
 * Whether a place is in a shape, as the contract says it and by nothing that the service does: all numbers are whole
 * ones, rays go north, and every edge is looked at for every longitude of the place.
 */
export function isPlaceIn({ polygons, lines, points }: Shape, place: Position): boolean {
  const positions = [...polygons.flat(2), ...lines.flat(), ...points];
  const [longitude, latitude] = place;
  if (latitude === 90 || latitude === -90) return positions.some(([, y]) => y === latitude);
  const places = Math.max(...[...positions, place].flat().map(placesOf));
  const exact = ([x, y]: Position): Exact => [wholeOf(x, places), wholeOf(y, places)];
  const turn = 360n * 10n ** BigInt(places);
  const rings = polygons.map((polygon) => polygon.map((ring) => edgesOf(ring.map(exact))));
  const paths = [
    ...lines.map((line) => edgesOf(line.map(exact))),
    ...points.map((point) => {
      return [[exact(point), exact(point)] as const];
    }),
  ];
  const [x, y] = exact([longitude, latitude]);
  return [-1n, 0n, 1n].some((turns) => {
    const at: Exact = [x + turns * turn, y];
    const isOn = (edges: readonly Edge[]) => edges.some((edge) => isOnEdge(edge, at));
    return (
      paths.some(isOn) || rings.some((polygon) => polygon.some(isOn) || isOdd(polygon.flat(), at))
    );
  });
}

type Edge = readonly [Exact, Exact];

function edgesOf(path: readonly Exact[]): Edge[] {
  return path.slice(1).map((end, i) => [path[i] as Exact, end]);
}

function isOnEdge([[ax, ay], [bx, by]]: Edge, [x, y]: Exact): boolean {
  const isBetween = (a: bigint, b: bigint, p: bigint) => (a <= p && p <= b) || (b <= p && p <= a);
  const isOnLine = (bx - ax) * (y - ay) === (by - ay) * (x - ax);
  return isOnLine && isBetween(ax, bx, x) && isBetween(ay, by, y);
}

/** Whether a ray to the north meets an odd number of edges. */
function isOdd(edges: readonly Edge[], [x, y]: Exact): boolean {
  return (
    edges.filter(([a, b]) => {
      const [[ax, ay], [bx, by]] = a[0] < b[0] ? [a, b] : [b, a];
      if (x < ax || x >= bx) return false;
      return ay * (bx - x) + by * (x - ax) > y * (bx - ax);
    }).length %
      2 ===
    1
  );
}

function placesOf(number: number): number {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
}

function wholeOf(number: number, places: number): bigint {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(places - fraction.length + Number(exponent));
}

/** The ring of positions, closed. */
export function closed(open: readonly Position[]): Ring {
  return [...open, open[0] as Position];
}
