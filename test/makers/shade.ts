/** Runs in a browser, whose canvas reads JPEG and writes WebP; so it imports nothing. */

/** Pixels of the two pictures' width, with longitude and latitude across; they are half as high. */
const WIDE = 4096;
const HIGH = WIDE / 2;

type Options = {
  /** Pictures of the world as data addresses: land as grey as its slopes, and the sea floor. */
  readonly land: string;
  readonly sea: string;
  /** Pixels of the square picture of Web Mercator. */
  readonly size: number;
  readonly quality: number;
  /** What is cut from it, in shares of its sides, and the pixels of that. */
  readonly parts: readonly {
    readonly name: string;
    readonly left: number;
    readonly top: number;
    readonly size: number;
    readonly pixels: number;
  }[];
};

/** A relief in Web Mercator, mid-grey where the ground is level: its parts by name, as the bytes of WebP pictures. */
export async function shadedRelief(options: Options): Promise<[string, number[]][]> {
  const { land, sea, size, quality, parts } = options;
  const pixelsOf = async (address: string): Promise<Uint8ClampedArray> => {
    const blob = await (await fetch(address)).blob();
    const bitmap = await createImageBitmap(blob, {
      resizeWidth: WIDE,
      resizeHeight: HIGH,
      resizeQuality: "high",
    });
    const context = new OffscreenCanvas(WIDE, HIGH).getContext("2d");
    context?.drawImage(bitmap, 0, 0);
    return context?.getImageData(0, 0, WIDE, HIGH).data ?? new Uint8ClampedArray();
  };
  const lightness = (pixels: Uint8ClampedArray) =>
    Float32Array.from(
      { length: WIDE * HIGH },
      (_, i) =>
        0.3 * (pixels[4 * i] ?? 0) +
        0.6 * (pixels[4 * i + 1] ?? 0) +
        0.1 * (pixels[4 * i + 2] ?? 0),
    );
  /** Sums in a square around each pixel of those that count. */
  const around = (values: Float32Array, counts: Uint8Array, reach: number): Float32Array => {
    const pass = (
      from: Float32Array,
      length: number,
      step: number,
      lines: number,
      next: number,
    ) => {
      const to = new Float32Array(from.length);
      for (let line = 0; line < lines; line++) {
        let sum = 0;
        for (let n = -reach; n < length + reach; n++) {
          const [enters, leaves, at] = [n, n - 2 * reach - 1, n - reach];
          if (enters >= 0 && enters < length) sum += from[line * next + enters * step] ?? 0;
          if (leaves >= 0 && leaves < length) sum -= from[line * next + leaves * step] ?? 0;
          if (at >= 0 && at < length) to[line * next + at * step] = sum;
        }
      }
      return to;
    };
    const counted = values.map((value, i) => (counts[i] ? value : 0));
    return pass(pass(counted, WIDE, 1, HIGH, WIDE), HIGH, WIDE, WIDE, 1);
  };
  /** What stands out from its surroundings of the same kind. */
  const relative = (values: Float32Array, counts: Uint8Array, near: number, far: number) => {
    const ones = new Float32Array(values.length).fill(1);
    const mean = (reach: number) => {
      const [sums, numbers] = [around(values, counts, reach), around(ones, counts, reach)];
      return sums.map((sum, i) => sum / Math.max(1, numbers[i] ?? 1));
    };
    const wide = mean(far);
    return (near === 0 ? values : mean(near)).map((value, i) => value - (wide[i] ?? 0));
  };

  const [landPixels, seaPixels] = [await pixelsOf(land), await pixelsOf(sea)];
  // The second picture's sea is blue, also where it is shallow; its land never is.
  const isLand = Uint8Array.from({ length: WIDE * HIGH }, (_, i) => {
    const [red = 0, green = 0, blue = 0] = seaPixels.subarray(4 * i, 4 * i + 3);
    return blue > red + 15 && blue > green + 4 ? 0 : 1;
  });
  const isSea = isLand.map((one) => 1 - one);
  const slopes = relative(lightness(landPixels), isLand, 0, 20);
  const floor = relative(lightness(seaPixels), isSea, 3, 90);
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext("2d");
  const image = new ImageData(size, size);
  for (let y = 0; y < size; y++) {
    const latitude = Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + 0.5)) / size)));
    const row = Math.min(HIGH - 1, Math.floor((0.5 - latitude / Math.PI) * HIGH));
    for (let x = 0; x < size; x++) {
      const i = row * WIDE + Math.floor(((x + 0.5) / size) * WIDE);
      const shade = isLand[i] ? 1.1 * (slopes[i] ?? 0) : 0.55 * (floor[i] ?? 0);
      image.data.set([128 + shade, 128 + shade, 128 + shade, 255], 4 * (y * size + x));
    }
  }
  context?.putImageData(image, 0, 0);
  return Promise.all(
    parts.map(async ({ name, left, top, size: share, pixels }) => {
      const part = new OffscreenCanvas(pixels, pixels);
      const of = part.getContext("2d");
      if (of) of.imageSmoothingQuality = "high";
      const [x, y, wide] = [left * size, top * size, share * size];
      of?.drawImage(canvas, x, y, wide, wide, 0, 0, pixels, pixels);
      const blob = await part.convertToBlob({ type: "image/webp", quality });
      return [name, [...new Uint8Array(await blob.arrayBuffer())]];
    }),
  );
}
