/** Diameters of the smallest and the largest disc, pixels of the screen. */
export const MIN_DIAMETER = 5;
export const MAX_DIAMETER = 25;
/** Above this many events in view, single discs hide each other: their density is drawn. */
export const MAX_DISCS = 50_000;
/** The disc of an event without a magnitude, which is hollow. */
export const UNKNOWN_SIZE = 255;
const UNKNOWN_DIAMETER = 7;

const SMALLEST_MAGNITUDE = 1;
const LARGEST_MAGNITUDE = 8;
/** Above 1, so that frequent small events stay small beside rare large ones. */
const STEEPNESS = 1.6;

/** The diameter for a magnitude, pixels of the screen: MIN_DIAMETER up to M 1, MAX_DIAMETER from M 8 on. */
export function diameterOf(magnitude: number): number {
  if (Number.isNaN(magnitude)) return UNKNOWN_DIAMETER;
  const share = (magnitude - SMALLEST_MAGNITUDE) / (LARGEST_MAGNITUDE - SMALLEST_MAGNITUDE);
  const bounded = Math.max(0, Math.min(1, share));
  return MIN_DIAMETER + (MAX_DIAMETER - MIN_DIAMETER) * bounded ** STEEPNESS;
}

/** The sizes of all events' discs: diameters rounded to pixels, or UNKNOWN_SIZE. */
export function sizesOf(magnitude: Float32Array): Uint8Array {
  const sizes = new Uint8Array(magnitude.length);
  for (let i = 0; i < sizes.length; i++) {
    const value = magnitude[i] ?? Number.NaN;
    sizes[i] = Number.isNaN(value) ? UNKNOWN_SIZE : Math.round(diameterOf(value));
  }
  return sizes;
}

/** A colour's parts, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** A disc's pixels, relative to its middle. */
export type Disc = {
  readonly dx: Int16Array;
  readonly dy: Int16Array;
  /** Red, green, blue and cover in turn, 0 to 255. */
  readonly rgba: Uint8Array;
};

/**
 * Draws a disc with its ring, smooth at its edges.
 * @param size as `sizesOf` has it
 * @param ratio pixels of the picture for one of the screen
 */
export function disc(size: number, fill: Colour, ring: Colour, ratio: number): Disc {
  const isHollow = size === UNKNOWN_SIZE;
  const radius = ((isHollow ? UNKNOWN_DIAMETER : size) / 2) * ratio;
  const width = (isHollow ? 1.5 : 0.8) * ratio;
  const reach = Math.ceil(radius);
  const dx: number[] = [];
  const dy: number[] = [];
  const rgba: number[] = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const from = Math.hypot(x, y);
      const cover = clamp(radius - from + 0.5);
      const inside = clamp(radius - width - from + 0.5);
      const whole = isHollow ? cover - inside : cover;
      if (whole < 1 / 255) continue;
      const share = isHollow ? 0 : inside / cover;
      const colour = isHollow ? fill : mixed(ring, fill, share);
      dx.push(x);
      dy.push(y);
      rgba.push(...colour.map(Math.round), Math.round(whole * 255));
    }
  }
  return { dx: Int16Array.from(dx), dy: Int16Array.from(dy), rgba: Uint8Array.from(rgba) };
}

/** How far the largest disc reaches from its middle, pixels of the picture. */
export function reachOf(ratio: number): number {
  return Math.ceil((MAX_DIAMETER / 2) * ratio);
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  const at = (i: 0 | 1 | 2) => from[i] + (to[i] - from[i]) * share;
  return [at(0), at(1), at(2)];
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
