/** The largest disc, pixels of the screen. */
export const MAX_DIAMETER = 44;
/** Above this many events in view, single discs hide each other: their density is drawn. */
export const MAX_DISCS = 40_000;
/** The size of an event without a magnitude, whose disc is hollow. */
export const UNKNOWN_SIZE = 255;
const UNKNOWN_DIAMETER = 6;
/** Sizes of discs are diameters in these parts of a pixel. */
const PARTS = 4;

/** Up to this magnitude discs grow by little; from it on so that each magnitude is told from the next. */
const SMALL_MAGNITUDE = 2;
const SMALL_DIAMETER = 4;
const LARGEST_MAGNITUDE = 8;
const STEEPNESS = 1.7;
/** Smaller discs are neither seen nor hit. */
const LEAST_DIAMETER = 2.6;
const BELOW_SMALL = 0.7;

/** The diameter for a magnitude, pixels of the screen: 4 for M 2, about 10 for M 4, 24 for M 6, 44 from M 8 on. */
export function diameterOf(magnitude: number): number {
  if (Number.isNaN(magnitude)) return UNKNOWN_DIAMETER;
  if (magnitude < SMALL_MAGNITUDE) {
    return Math.max(LEAST_DIAMETER, SMALL_DIAMETER - BELOW_SMALL * (SMALL_MAGNITUDE - magnitude));
  }
  const share = (magnitude - SMALL_MAGNITUDE) / (LARGEST_MAGNITUDE - SMALL_MAGNITUDE);
  return SMALL_DIAMETER + (MAX_DIAMETER - SMALL_DIAMETER) * Math.min(1, share) ** STEEPNESS;
}

/** The sizes of all events' discs, in parts of a pixel (`diameterOfSize`), or UNKNOWN_SIZE. */
export function sizesOf(magnitude: Float32Array): Uint8Array {
  const sizes = new Uint8Array(magnitude.length);
  for (let i = 0; i < sizes.length; i++) {
    const value = magnitude[i] ?? Number.NaN;
    sizes[i] = Number.isNaN(value) ? UNKNOWN_SIZE : Math.round(PARTS * diameterOf(value));
  }
  return sizes;
}

/** A size as a diameter, pixels of the screen. */
export function diameterOfSize(size: number): number {
  return size === UNKNOWN_SIZE ? UNKNOWN_DIAMETER : size / PARTS;
}

/** How large discs are drawn, by zoom: below 1 on maps of large parts of the world, up to 2 in close views. */
export function discScale(zoom: number): number {
  return 0.6 + 0.4 * shareOf(zoom, 1.5, 5) + shareOf(zoom, 8, 15);
}

/** A diameter at a scale (`discScale`): above 1 the small ones grow most, the largest stay. */
export function drawnDiameter(diameter: number, scale: number): number {
  const grown = Math.max(0, scale - 1) * (1 - diameter / MAX_DIAMETER);
  return diameter * (Math.min(1, scale) + grown);
}

function shareOf(value: number, from: number, to: number): number {
  return clamp((value - from) / (to - from));
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

type Ink = {
  readonly fill: Colour;
  readonly ring: Colour;
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
  /** How large discs are here (`discScale`). */
  readonly scale: number;
};

/** Covers of the smallest and of the largest discs' fill: what lies under a large one is seen. */
const SMALL_COVER = 0.86;
const LARGE_COVER = 0.42;
const RING_COVER = 0.9;
/**
 * Of small discs rings are fainter, for where there are many they would be all that is seen: as faint as
 * the fill is like the ring, which stands out from the ground.
 */
const SMALL_RING_COVER = 0.6;
const SMALL_RING = 7;

/**
 * Draws a disc, translucent, with a crisp ring, smooth at its edges.
 * @param size as `sizesOf` has it
 */
export function disc(size: number, { fill, ring, ratio, scale }: Ink): Disc {
  const isHollow = size === UNKNOWN_SIZE;
  const diameter = drawnDiameter(diameterOfSize(size), scale);
  const radius = (diameter / 2) * ratio;
  const width = ringWidthOf(diameter, isHollow) * ratio;
  const large = Math.min(1, diameter / (MAX_DIAMETER / 2));
  const fillCover = isHollow ? 0 : SMALL_COVER + (LARGE_COVER - SMALL_COVER) * large;
  const line = isHollow ? fill : ring;
  const isSmall = diameter < SMALL_RING && !isHollow;
  const difference = Math.abs(lightnessOf(fill) - lightnessOf(ring));
  const ringCover = isSmall ? SMALL_RING_COVER * difference : RING_COVER;
  const reach = Math.ceil(radius);
  const dx: number[] = [];
  const dy: number[] = [];
  const rgba: number[] = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const from = Math.hypot(x, y);
      const inside = clamp(radius - width - from + 0.5);
      const [onRing, onFill] = [
        (clamp(radius - from + 0.5) - inside) * ringCover,
        inside * fillCover,
      ];
      const cover = onRing + onFill;
      if (cover < 1 / 255) continue;
      dx.push(x);
      dy.push(y);
      rgba.push(...mixed(line, fill, onFill / cover).map(Math.round), Math.round(cover * 255));
    }
  }
  return { dx: Int16Array.from(dx), dy: Int16Array.from(dy), rgba: Uint8Array.from(rgba) };
}

/** Pixels of the screen. */
function ringWidthOf(diameter: number, isHollow: boolean): number {
  if (isHollow) return 1.5;
  if (diameter < SMALL_RING) return 0.7;
  return diameter < MAX_DIAMETER / 3 ? 1 : 1.4;
}

/** How far the largest disc reaches from its middle, pixels of the picture. */
export function reachOf(ratio: number): number {
  return Math.ceil((MAX_DIAMETER / 2) * ratio);
}

/** Rec. 709's luma, 0 to 1. */
function lightnessOf([red, green, blue]: Colour): number {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  const at = (i: 0 | 1 | 2) => from[i] + (to[i] - from[i]) * share;
  return [at(0), at(1), at(2)];
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
