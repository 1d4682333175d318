import type { Page } from "playwright-core";

/** Around a point of the window, pixels. */
const NEAR = 3;

/**
 * The map as it was drawn: how many pixels of its events are not empty.
 * @param at near this point of the window; on the whole map without it
 */
export function inkOf(
  page: Page,
  at?: { readonly x: number; readonly y: number },
): Promise<number> {
  return page.evaluate(
    ([at, near]) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".leaflet-overlay-pane canvas");
      if (!canvas) return 0;
      // Read from a copy: a canvas that is read becomes slower to draw.
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      if (!context) return 0;
      context.drawImage(canvas, 0, 0);
      const { left, top, width } = canvas.getBoundingClientRect();
      const ratio = canvas.width / width;
      const [x, y, w, h] = at
        ? [at.x - left - near, at.y - top - near, 2 * near, 2 * near].map((n) => n * ratio)
        : [0, 0, canvas.width, canvas.height];
      const { data } = context.getImageData(x ?? 0, y ?? 0, w ?? 1, h ?? 1);
      let ink = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) ink++;
      return ink;
    },
    [at, NEAR] as const,
  );
}
