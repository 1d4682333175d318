/** Paths of SVG from points in pixels, to a tenth of one. */

/** A point, or null where nothing is known: there the line has a gap. */
export type Place = readonly [x: number, y: number] | null;

export function linePath(places: readonly Place[]): string {
  let path = "";
  let isDrawing = false;
  for (const place of places) {
    if (place) path += `${isDrawing ? "L" : "M"}${text(place[0])} ${text(place[1])}`;
    isDrawing = place !== null;
  }
  return path;
}

/** Of two lines along the same points, what lies between them, apart for each stretch without a gap. */
export function bandPath(upper: readonly Place[], lower: readonly Place[]): string {
  let path = "";
  let stretch: (readonly [top: NonNullable<Place>, bottom: NonNullable<Place>])[] = [];
  const close = () => {
    const around = [
      ...stretch.map(([top]) => top),
      ...stretch.map(([, bottom]) => bottom).reverse(),
    ];
    if (around.length > 2) path += `${linePath(around)}Z`;
    stretch = [];
  };
  upper.forEach((top, i) => {
    const bottom = lower[i];
    if (top && bottom) stretch.push([top, bottom]);
    else close();
  });
  close();
  return path;
}

/** Bars that stand on a line, with a small space between them. */
export function barsPath(
  bars: readonly (readonly [from: number, to: number, top: number])[],
  ground: number,
): string {
  return bars
    .filter(([, , top]) => top < ground)
    .map(([from, to, top]) => {
      const space = Math.min(1, (to - from) * 0.1);
      return `M${text(from)} ${text(ground)}V${text(top)}H${text(to - space)}V${text(ground)}Z`;
    })
    .join("");
}

function text(value: number): string {
  return String(Number(value.toFixed(1)) + 0);
}
