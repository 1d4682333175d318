import { type Colour, type Disc, disc, reachOf } from "./discs.ts";
import type { Seen } from "./view.ts";

/** What the discs of a map look like. */
export type Look = {
  /** For each class of events its colour. */
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
  const rankOf = (n: number) => ((sizes[index[n] ?? 0] ?? 0) + 1) & 255;
  const starts = new Uint32Array(257);
  for (let n = 0; n < count; n++) starts[rankOf(n) + 1] = (starts[rankOf(n) + 1] ?? 0) + 1;
  for (let rank = 1; rank < starts.length; rank++) {
    starts[rank] = (starts[rank] ?? 0) + (starts[rank - 1] ?? 0);
  }
  const order = new Uint32Array(count);
  for (let n = 0; n < count; n++) {
    const rank = rankOf(n);
    const at = starts[rank] ?? 0;
    order[at] = n;
    starts[rank] = at + 1;
  }
  return order;
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
export function wordOf([red, green, blue]: Colour): number {
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0] ?? 0;
}
