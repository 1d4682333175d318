import {
  type Colour,
  type Disc,
  diameterOfSize,
  disc,
  drawnDiameter,
  reachOf,
  UNKNOWN_SIZE,
} from "./discs.ts";
import { type Projected, worldSize } from "./mercator.ts";

export type Look = {
  readonly fills: readonly Colour[];
  readonly ring: Colour;
  /** How large they are (`discScale`); as large as they come without it. */
  readonly scale?: number;
};

/** Pixels of a picture, with a frame into which the discs at its edges reach. */
export type Picture = {
  readonly image: ImageData;
  readonly margin: number;
  readonly ratio: number;
};

export function pictureOf(width: number, height: number, ratio: number): Picture {
  const margin = reachOf(ratio);
  const columns = Math.max(1, Math.ceil(width * ratio)) + 2 * margin;
  const rows = Math.max(1, Math.ceil(height * ratio)) + 2 * margin;
  return { image: new ImageData(columns, rows), margin, ratio };
}

/** Puts the picture without its frame onto a canvas of that size. */
export function show({ image, margin }: Picture, context: CanvasRenderingContext2D): void {
  const [width, height] = [image.width - 2 * margin, image.height - 2 * margin];
  context.putImageData(image, -margin, -margin, margin, margin, width, height);
}

/**
 * Draws the seen events' discs: larger ones over smaller ones, of equal ones the last on top.
 * @param sizes of all events (`sizesOf`)
 * @param classes of all events: indexes into `look.fills`
 */
export function drawDiscs(
  { image, margin, ratio }: Picture,
  seen: Seen,
  sizes: Uint8Array,
  classes: Uint8Array,
  { fills, ring, scale = 1 }: Look,
): void {
  const { data, width } = image;
  const discs = new Map<number, Stamp>();
  for (const n of bySize(seen, sizes)) {
    const i = seen.index[n] ?? 0;
    const [size, kind] = [sizes[i] ?? 0, classes[i] ?? 0];
    const key = (size << 8) | kind;
    let stamp = discs.get(key);
    if (!stamp) {
      stamp = stampOf(disc(size, { fill: fills[kind] ?? ring, ring, ratio, scale }), width);
      discs.set(key, stamp);
    }
    const at = ((seen.y[n] ?? 0) + margin) * width + (seen.x[n] ?? 0) + margin;
    press(data, at, stamp);
  }
}

/** Places among the seen events, those of unknown size first, then from the smallest to the largest. */
function bySize({ count, index }: Seen, sizes: Uint8Array): Uint32Array {
  // Each size and its place are one number: these are sorted without a comparison in script.
  const keys = new Uint32Array(count);
  for (let n = 0; n < count; n++) keys[n] = (((sizes[index[n] ?? 0] ?? 0) + 1) << 24) | n;
  return keys.sort().map((key) => key & 0xff_ff_ff);
}

/** A disc for pictures of one width: where its pixels lie from its middle. */
type Stamp = { readonly offsets: Int32Array; readonly rgba: Uint8Array };

function stampOf({ dx, dy, rgba }: Disc, width: number): Stamp {
  return { offsets: Int32Array.from(dx, (x, p) => (dy[p] ?? 0) * width + x), rgba };
}

function press(data: Uint8ClampedArray, middle: number, { offsets, rgba }: Stamp): void {
  for (let p = 0; p < offsets.length; p++) {
    const to = 4 * (middle + (offsets[p] ?? 0));
    const from = 4 * p;
    const cover = rgba[from + 3] ?? 0;
    const below = data[to + 3] ?? 0;
    if (cover === 255 || below === 0) {
      data[to] = rgba[from] ?? 0;
      data[to + 1] = rgba[from + 1] ?? 0;
      data[to + 2] = rgba[from + 2] ?? 0;
      data[to + 3] = cover;
      continue;
    }
    // The new pixel over the old one, neither multiplied by its cover.
    const beneath = (below * (255 - cover)) / 255;
    const all = cover + beneath;
    for (let c = 0; c < 3; c++) {
      data[to + c] = ((rgba[from + c] ?? 0) * cover + (data[to + c] ?? 0) * beneath) / all;
    }
    data[to + 3] = all;
  }
}

/** A pixel of ImageData as one word of this machine, opaque. */
function wordOf([red, green, blue]: Colour): number {
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0] ?? 0;
}

/** Side of a square whose events are counted, pixels of the screen. */
const SIDE = 3;

/**
 * Draws how many events lie in each small square.
 * @param shades from few events to many
 * @returns the least number of events for each shade
 */
export function drawDensity(
  { image, margin, ratio }: Picture,
  seen: Seen,
  shades: readonly Colour[],
): readonly number[] {
  const side = Math.round(SIDE * ratio);
  const columns = Math.ceil(image.width / side);
  const counts = new Uint32Array(columns * Math.ceil(image.height / side));
  let most = 0;
  for (let n = 0; n < seen.count; n++) {
    const column = Math.floor(((seen.x[n] ?? 0) + margin) / side);
    const row = Math.floor(((seen.y[n] ?? 0) + margin) / side);
    const square = row * columns + column;
    const count = (counts[square] ?? 0) + 1;
    counts[square] = count;
    if (count > most) most = count;
  }
  const from = densitySteps(most, shades.length);
  const pixels = new Uint32Array(image.data.buffer);
  const words = shades.map(wordOf);
  for (let square = 0; square < counts.length; square++) {
    const count = counts[square] ?? 0;
    if (count === 0) continue;
    const shade = shadeOf(count, from);
    const left = (square % columns) * side;
    const top = Math.floor(square / columns) * side;
    const right = Math.min(left + side, image.width);
    const bottom = Math.min(top + side, image.height);
    for (let y = top; y < bottom; y++) {
      pixels.fill(words[shade] ?? 0, y * image.width + left, y * image.width + right);
    }
  }
  return from;
}

/** Which shade a number has, of shades that begin at `from`. */
export function shadeOf(count: number, from: readonly number[]): number {
  let shade = 0;
  while (shade + 1 < from.length && count >= (from[shade + 1] ?? 0)) shade++;
  return shade;
}

/** Numbers at which shades begin: ascending from 1 by about equal factors, round, the last below `most`. */
export function densitySteps(most: number, shades: number): readonly number[] {
  const factor = most ** (1 / shades);
  const steps = [1];
  for (let i = 1; i < shades; i++) {
    const step = roundStep(factor ** i);
    steps.push(Math.max(step, (steps.at(-1) ?? 0) + 1));
  }
  return steps;
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const first = value / power;
  return power * (first < 1.5 ? 1 : first < 3.5 ? 2 : first < 7.5 ? 5 : 10);
}

/** A finger's and a mouse's aim, pixels of the screen. */
const AIM = 3;
/** As large as what a density hides. */
const HIDDEN_DIAMETER = 5;

type Place = { readonly x: number; readonly y: number };

/** How the discs are drawn; null where a density is drawn in place of them. */
type Discs = { readonly sizes: Uint8Array; readonly scale: number } | null;

/**
 * The event whose disc is at a place of a picture; beside all discs the nearest. Of several discs it is the
 * one whose middle is nearest, in parts of its radius: so a small one upon a large one is picked at its own
 * middle, and the large one at its middle and wherever small ones leave some of it.
 * @returns the event's index in its columns; null without one
 */
export function nearest(
  { count, x, y, index }: Seen,
  at: Place,
  ratio: number,
  discs: Discs,
): number | null {
  let [inside, nearestPart, smallest] = [-1, 1, UNKNOWN_SIZE + 1];
  let [beside, least] = [-1, AIM * ratio];
  for (let n = 0; n < count; n++) {
    const i = index[n] ?? 0;
    const size = discs?.sizes[i] ?? 0;
    const diameter = discs ? drawnDiameter(diameterOfSize(size), discs.scale) : HIDDEN_DIAMETER;
    const radius = (diameter / 2) * ratio;
    const far = Math.hypot((x[n] ?? 0) - at.x, (y[n] ?? 0) - at.y);
    const part = far / radius;
    // Around one middle the larger ones have room beside the smallest; of equal ones the last lies on top.
    if (part < nearestPart || (part === nearestPart && diameter <= smallest)) {
      [inside, nearestPart, smallest] = [i, part, diameter];
    } else if (far - radius <= least) [beside, least] = [i, far - radius];
  }
  const hit = inside >= 0 ? inside : beside;
  return hit >= 0 ? hit : null;
}

/** A picture of a part of the world, in pixels of the screen. */
export type View = {
  /** Where the picture's left upper corner lies in the world at this zoom, pixels; any turn of it. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
  /** Pixels of the picture for one of the screen. */
  readonly ratio: number;
};

/** The world's width, and how far in it the picture's left upper corner lies, pixels of the picture. */
export function worldIn({ zoom, left, top, ratio }: View) {
  return { world: worldSize(zoom) * ratio, left: left * ratio, top: top * ratio };
}

/** Events in a view, oldest first; an event stands twice where the view is wider than the world. */
export type Seen = {
  count: number;
  /** Pixels of the picture. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** The events' indexes in their columns. */
  readonly index: Uint32Array;
};

export function roomFor(events: number): Seen {
  return {
    count: 0,
    x: new Int32Array(events),
    y: new Int32Array(events),
    index: new Uint32Array(events),
  };
}

/**
 * Finds the events of a view, and those whose disc may reach into it.
 * @param shown indexes of the events that pass the filters, ascending; null for all
 * @param margin pixels of the picture beside it
 * @param seen gets them, as many as it has room for
 */
export function look(
  { x, y }: Projected,
  indexes: Uint32Array | null,
  view: View,
  margin: number,
  seen: Seen,
): void {
  const { world, left, top } = worldIn(view);
  const right = Math.ceil(view.width * view.ratio) + margin;
  const bottom = Math.ceil(view.height * view.ratio) + margin;
  // The turn of the world in which the view's left edge lies.
  const turn = Math.floor((left - margin) / world) * world;
  const shift = turn - left;
  const events = indexes ? indexes.length : x.length;
  const room = seen.index.length;
  let count = 0;
  for (let n = events - 1; n >= 0; n--) {
    const i = indexes ? (indexes[n] ?? 0) : n;
    const py = Math.round((y[i] ?? 0) * world - top);
    if (py < -margin || py >= bottom) continue;
    let px = Math.round((x[i] ?? 0) * world + shift);
    if (px < -margin) px = Math.round(px + world);
    for (; px < right && count < room; px = Math.round(px + world)) {
      seen.x[count] = px;
      seen.y[count] = py;
      seen.index[count] = i;
      count++;
    }
  }
  seen.count = count;
}

/**
 * The seen events with the largest discs, in the same order.
 * @param most so many at most
 * @param sizes of all events (`sizesOf`)
 */
export function largestOf(seen: Seen, sizes: Uint8Array, most: number): Seen {
  const bySize = new Uint32Array(UNKNOWN_SIZE + 1);
  for (let n = 0; n < seen.count; n++) {
    const size = sizes[seen.index[n] ?? 0] ?? 0;
    bySize[size] = (bySize[size] ?? 0) + 1;
  }
  let least = UNKNOWN_SIZE;
  for (let sum = 0; least > 0; least--) {
    sum += bySize[least - 1] ?? 0;
    if (sum > most) break;
  }
  const large = roomFor(most);
  for (let n = 0; n < seen.count && large.count < most; n++) {
    const i = seen.index[n] ?? 0;
    const size = sizes[i] ?? 0;
    if (size < least || size === UNKNOWN_SIZE) continue;
    large.x[large.count] = seen.x[n] ?? 0;
    large.y[large.count] = seen.y[n] ?? 0;
    large.index[large.count] = i;
    large.count++;
  }
  return large;
}
