/** A box; `west` > `east` where it crosses the date line. Degrees. */
export type Bounds = {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
};

/** As the API has boxes. */
export function boundsOfBbox(bbox: readonly number[]): Bounds {
  const [west = -180, south = -90, east = 180, north = 90] = bbox;
  return { south, north, west, east };
}

/** Bins of longitude among which the widest empty stretch is sought. */
const BINS = 3_600;

/**
 * The smallest box around the events: over the date line where the widest stretch of longitudes
 * without events lies elsewhere. Null without events.
 */
export function boundsOf(
  latitude: Float32Array,
  longitude: Float32Array,
  indexes: Uint32Array | null,
): Bounds | null {
  const events = indexes ? indexes.length : latitude.length;
  if (events === 0) return null;
  const filled = new Uint8Array(BINS);
  let south = 90;
  let north = -90;
  for (let n = 0; n < events; n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const at = latitude[i] ?? 0;
    if (at < south) south = at;
    if (at > north) north = at;
    filled[binOf(longitude[i] ?? 0)] = 1;
  }
  const middle = middleOfGap(filled);
  if (middle === null) return { south, north, west: -180, east: 180 };
  let west = 360;
  let east = -1;
  for (let n = 0; n < events; n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const from = turned((longitude[i] ?? 0) - middle);
    if (from < west) west = from;
    if (from > east) east = from;
  }
  return { south, north, west: within(west + middle), east: within(east + middle) };
}

/**
 * The smallest box around boxes, over the date line where that makes it smaller; null without any.
 * @param around how far it reaches beyond them, as a share of its sides
 */
export function unitedBoundsOf(boxes: readonly Bounds[], around: number): Bounds | null {
  if (boxes.length === 0) return null;
  // Each box as places so close to each other that what lies between them is no gap.
  const longitudes = boxes.flatMap((box) => {
    const pieces = Math.ceil(widthOf(box) * (BINS / 360)) + 1;
    return Array.from({ length: pieces + 1 }, (_, i) =>
      within(box.west + (widthOf(box) * i) / pieces),
    );
  });
  const south = Math.min(...boxes.map((box) => box.south));
  const north = Math.max(...boxes.map((box) => box.north));
  const all = boundsOf(new Float32Array(longitudes.length), Float32Array.from(longitudes), null);
  if (!all) return null;
  const [aside, upward] = [widthOf(all) * around, (north - south) * around];
  const isWhole = widthOf(all) + 2 * aside >= 360;
  return {
    south: Math.max(-85, south - upward),
    north: Math.min(85, north + upward),
    west: isWhole ? -180 : within(all.west - aside),
    east: isWhole ? 180 : within(all.east + aside),
  };
}

/** Of how many events on each side a box may leave out, as a share; and from how many events on. */
const OUTLIERS = 0.005;
const ENOUGH = 200;
/** A box without its outliers is taken where it has no more than this share of the whole box's area. */
const WORTH = 0.25;
/** Beside the events that are left, as a share of their box. */
const AROUND = 0.1;

/**
 * The box around almost all events, where a few that lie far away would make the others a spot in it;
 * null where no such box tells more than the whole one.
 * @param whole the box around all of them
 */
export function bulkOf(
  latitude: Float32Array,
  longitude: Float32Array,
  indexes: Uint32Array | null,
  whole: Bounds,
): Bounds | null {
  const events = indexes ? indexes.length : latitude.length;
  if (events < ENOUGH) return null;
  const up = new Uint32Array(BINS + 1);
  const across = new Uint32Array(BINS + 1);
  const [high, wide] = [whole.north - whole.south, widthOf(whole)];
  for (let n = 0; n < events; n++) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    count(up, ((latitude[i] ?? 0) - whole.south) / high);
    count(across, turned((longitude[i] ?? 0) - whole.west) / wide);
  }
  const [south, north] = middleShare(up, events);
  const [west, east] = middleShare(across, events);
  if ((north - south) * (east - west) > WORTH) return null;
  const [aroundUp, aroundAcross] = [(north - south) * AROUND, (east - west) * AROUND];
  const at = (share: number) => within(whole.west + Math.max(0, Math.min(1, share)) * wide);
  return {
    south: whole.south + Math.max(0, south - aroundUp) * high,
    north: whole.south + Math.min(1, north + aroundUp) * high,
    west: at(west - aroundAcross),
    east: at(east + aroundAcross),
  };
}

function count(bins: Uint32Array, share: number): void {
  const bin = Math.min(BINS, Math.max(0, Math.floor(share * BINS) || 0));
  bins[bin] = (bins[bin] ?? 0) + 1;
}

/** Between which shares of the bins all but the outliers lie. */
function middleShare(bins: Uint32Array, events: number): readonly [number, number] {
  const most = Math.floor(events * OUTLIERS);
  let [from, to] = [0, bins.length - 1];
  for (let left = most - (bins[from] ?? 0); left >= 0; left -= bins[from] ?? 0) from++;
  for (let left = most - (bins[to] ?? 0); left >= 0; left -= bins[to] ?? 0) to--;
  return [from / BINS, (to + 1) / BINS];
}

export function isIn(
  box: Bounds,
  place: { readonly latitude: number; readonly longitude: number },
): boolean {
  const { latitude, longitude } = place;
  const isBetween = latitude >= box.south && latitude <= box.north;
  return isBetween && turned(longitude - box.west) <= widthOf(box);
}

/** Whether a box lies in another. */
export function holds(box: Bounds, other: Bounds): boolean {
  const across = turned(other.west - box.west) + widthOf(other);
  const isWide = widthOf(box) >= 360 || across <= widthOf(box);
  return isWide && box.south <= other.south && box.north >= other.north;
}

/** Leaflet's zoom at which a map of ordinary size shows about a degree around a place. */
export const DEGREE_ZOOM = 8;

/**
 * Where a map starts that is to show a box with its surroundings: null for a box of a degree and
 * more, to which a map can be fitted. Fitted to less, it would show neither land nor names.
 */
export function surroundingsOf(box: Bounds): MapView | null {
  if (widthOf(box) >= 1 || box.north - box.south >= 1) return null;
  return { zoom: DEGREE_ZOOM, ...middleOf(box) };
}

/** The place in the middle of a box; longitudes are −180 to 180. */
export function middleOf(box: Bounds) {
  return {
    latitude: (box.south + box.north) / 2,
    longitude: within(box.west + widthOf(box) / 2),
  };
}

/** A box's width in degrees of longitude. */
export function widthOf({ west, east }: Bounds): number {
  return west <= east ? east - west : east - west + 360;
}

/** The longitude plus whole turns that is nearest to another. */
export function nearestTurn(longitude: number, other: number): number {
  return longitude + 360 * Math.round((other - longitude) / 360);
}

function binOf(longitude: number): number {
  return Math.floor(turned(longitude) * (BINS / 360)) % BINS;
}

/** The longitude in the middle of the longest run of empty bins, around the circle; null without any. */
function middleOfGap(filled: Uint8Array): number | null {
  let best = { length: 0, end: 0 };
  let run = 0;
  for (let i = 0; i < 2 * BINS; i++) {
    run = filled[i % BINS] ? 0 : Math.min(run + 1, BINS);
    if (run > best.length) best = { length: run, end: i + 1 };
  }
  if (best.length === 0) return null;
  return ((best.end - best.length / 2) * 360) / BINS;
}

/** 0 ≤ degrees < 360. */
export function turned(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}

/** −180 ≤ degrees ≤ 180. */
function within(degrees: number): number {
  const positive = turned(degrees);
  return positive > 180 ? positive - 360 : positive;
}

/** What a map shows: degrees, and Leaflet's zoom. */
export type MapView = {
  readonly zoom: number;
  readonly latitude: number;
  readonly longitude: number;
};
