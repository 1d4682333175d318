import type { Position, Ring, Shape } from "#contracts/geometry/shape.ts";

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
