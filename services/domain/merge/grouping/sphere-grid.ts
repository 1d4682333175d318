import { KM_PER_DEGREE } from "#contracts/units.ts";

/** Degrees, 11 m: keeps cell numbers within the safe integers. */
const MIN_HEIGHT = 1e-4;
/**
 * Relative and absolute tolerance of the search, degrees: far above rounding errors and far below a
 * cell.
 */
const SLACK = 1e-9;
const COLUMN_LIMIT = 2 ** 22;
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Cells of about the size of `reachKm`: bands of equal height in latitude, each cut into columns
 * about as wide as high, fewer towards the poles. Every place within reach of another is in one of
 * the cells around it, also across the antimeridian (columns wrap) and over a pole (all columns).
 */
export function createSphereGrid(reachKm: number) {
  const reach = (reachKm / KM_PER_DEGREE) * (1 + SLACK) + SLACK;
  const height = Math.max(reach, MIN_HEIGHT);
  const lastBand = Math.ceil(180 / height) - 1;
  const sinReach = Math.sin(reach * RADIANS_PER_DEGREE);

  function bandOf(latitude: number): number {
    return Math.max(0, Math.min(lastBand, Math.floor((latitude + 90) / height)));
  }

  /** Number of columns by the band's longest parallel, so that no column is too narrow there. */
  function columnsOf(band: number): number {
    const south = band * height - 90;
    const nearest = south > 0 ? south : Math.min(0, south + height);
    return Math.max(1, Math.floor((360 * Math.cos(nearest * RADIANS_PER_DEGREE)) / height));
  }

  /** Half the extent in longitude, degrees, of the circle within reach; 180 when it contains a pole. */
  function halfWidth(latitude: number, cosine: number): number {
    if (Math.abs(latitude) + reach >= 90) return 180;
    const angle = Math.asin(Math.min(1, sinReach / cosine)) / RADIANS_PER_DEGREE;
    return angle * (1 + SLACK) + SLACK;
  }

  return {
    /** Number of the cell that contains a place. */
    cellOf(latitude: number, longitude: number): number {
      const band = bandOf(latitude);
      const columns = columnsOf(band);
      const column = Math.floor(((longitude + 180) / 360) * columns);
      return band * COLUMN_LIMIT + Math.min(columns - 1, column);
    },
    /** Writes the numbers of all cells that may contain places within reach, each once, into `cells`. */
    cellsAround(latitude: number, longitude: number, cosine: number, cells: number[]): void {
      cells.length = 0;
      const half = halfWidth(latitude, cosine);
      const north = bandOf(latitude + reach);
      for (let band = bandOf(latitude - reach); band <= north; band++) {
        const columns = columnsOf(band);
        const isRing = 2 * half + 360 / columns >= 360;
        const west = isRing ? 0 : Math.floor(((longitude - half + 180) / 360) * columns);
        const east = isRing ? columns - 1 : Math.floor(((longitude + half + 180) / 360) * columns);
        for (let column = west; column <= east; column++) {
          const wrapped = (column + columns) % columns;
          cells.push(band * COLUMN_LIMIT + wrapped);
        }
      }
    },
  };
}
