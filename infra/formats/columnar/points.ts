import { shiftDecimal } from "../decimal-number.ts";
import { createTextStore, type TextStore } from "./text-store.ts";

/** ISO WKB (ISO 13249-3, as in GeoParquet 1.1 and GeoArrow), little-endian. */
const LITTLE_ENDIAN = 1;
const POINT = 1;
const POINT_Z = 1001;
const [POINT_BYTES, POINT_Z_BYTES] = [21, 29];

/** The points of a batch's events, and what is true of all points since the beginning. */
export type Points = {
  /** Well-known binary of each. */
  readonly values: TextStore;
  /** @param depth in kilometres; null for a point without height */
  readonly add: (longitude: number, latitude: number, depth: number | null) => void;
  readonly clear: () => void;
  readonly extent: () => Extent;
};

export type Extent = {
  /** By the names of GeoParquet. */
  readonly types: readonly ("Point" | "Point Z")[];
  /** Least x and y, greatest x and y, with z if every point has one; null without points. */
  readonly bbox: readonly number[] | null;
};

/** @param capacity most points in a batch */
export function createPoints(capacity: number): Points {
  const values = createTextStore(capacity);
  const least = [Infinity, Infinity, Infinity];
  const greatest = [-Infinity, -Infinity, -Infinity];
  let flat = 0;
  let high = 0;
  let view = new DataView(values.bytes.buffer);

  function extend(axis: number, value: number): void {
    if (value < (least[axis] as number)) least[axis] = value;
    if (value > (greatest[axis] as number)) greatest[axis] = value;
  }

  return {
    values,
    add(longitude, latitude, depth) {
      const at = values.reserve(depth === null ? POINT_BYTES : POINT_Z_BYTES);
      if (view.buffer !== values.bytes.buffer) view = new DataView(values.bytes.buffer);
      view.setUint8(at, LITTLE_ENDIAN);
      view.setUint32(at + 1, depth === null ? POINT : POINT_Z, true);
      view.setFloat64(at + 5, longitude, true);
      view.setFloat64(at + 13, latitude, true);
      extend(0, longitude);
      extend(1, latitude);
      if (depth === null) {
        flat += 1;
        return;
      }
      high += 1;
      const height = heightOf(depth);
      view.setFloat64(at + 21, height, true);
      extend(2, height);
    },
    clear: values.clear,
    extent() {
      const types: Extent["types"] = [
        ...(flat > 0 ? ["Point" as const] : []),
        ...(high > 0 ? ["Point Z" as const] : []),
      ];
      const axes = flat > 0 ? 2 : 3;
      const bbox = [...least.slice(0, axes), ...greatest.slice(0, axes)];
      return { types, bbox: flat + high > 0 ? bbox : null };
    },
  };
}

/** Of a kilometre. */
const MILLIMETRES = 1e6;

/** Metres up from kilometres down, by moving the decimal point as the other formats do. */
export function heightOf(depth: number): number {
  const millimetres = Math.round(depth * MILLIMETRES);
  // With more than six decimals the product would have been rounded.
  const metres =
    millimetres / MILLIMETRES === depth
      ? millimetres / 1_000
      : Number(shiftDecimal(String(depth), 3));
  return 0 - metres;
}
