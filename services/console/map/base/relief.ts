import { RELIEF } from "../../drawing/colours.ts";
import { worldSize } from "../../drawing/mercator.ts";
import type { View } from "../../drawing/view.ts";
import { RELIEF_UP_TO_ZOOM, type ReliefTile } from "./tiles.ts";

/** From here on the relief fades away as one comes closer. */
const FULL_UP_TO_ZOOM = 4.5;
const MIDDLE = 128;
/** Sides of the whole picture, pixels. */
const SIZE = 1536;

type Theme = keyof typeof RELIEF;
/** A part of the relief, mid-grey where the ground is level. */
export type ReliefPart = ReliefTile & { readonly picture: ImageBitmap };

/** The relief as shadow and light upon whatever lies under it. */
export function shadowsOf(parts: readonly ReliefPart[], theme: Theme): OffscreenCanvas {
  const canvas = new OffscreenCanvas(SIZE, SIZE);
  const context = canvas.getContext("2d");
  for (const { picture, left, top, size } of parts) {
    const side = size * SIZE;
    context?.drawImage(shaded(picture, theme), left * SIZE, top * SIZE, side, side);
  }
  return canvas;
}

function shaded(picture: ImageBitmap, theme: Theme): OffscreenCanvas {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return canvas;
  context.drawImage(picture, 0, 0);
  const image = context.getImageData(0, 0, width, height);
  const { dark, light } = RELIEF[theme];
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const slope = (data[at] ?? MIDDLE) - MIDDLE;
    data.fill(slope < 0 ? 0 : 255, at, at + 3);
    data[at + 3] = slope < 0 ? -2 * slope * dark : 2 * slope * light;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Draws the part of the relief that a view shows. */
export function drawRelief(
  context: CanvasRenderingContext2D,
  shadows: OffscreenCanvas,
  view: View,
): void {
  const fading = (view.zoom - FULL_UP_TO_ZOOM) / (RELIEF_UP_TO_ZOOM - FULL_UP_TO_ZOOM);
  if (fading >= 1) return;
  const { width, height } = context.canvas;
  const world = worldSize(view.zoom) * view.ratio;
  const scale = shadows.width / world;
  const [left, top] = [view.left * view.ratio, view.top * view.ratio];
  const from = Math.max(0, top);
  const high = Math.min(world, top + height) - from;
  context.save();
  context.globalAlpha = 1 - Math.max(0, fading);
  context.imageSmoothingQuality = "high";
  for (let turn = Math.floor(left / world); turn * world < left + width; turn++) {
    const start = Math.max(0, left - turn * world);
    const wide = Math.min(world, left + width - turn * world) - start;
    context.drawImage(
      shadows,
      ...([start * scale, from * scale, wide * scale, high * scale] as const),
      ...([turn * world + start - left, from - top, wide, high] as const),
    );
  }
  context.restore();
}
