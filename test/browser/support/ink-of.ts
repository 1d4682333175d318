import type { Page } from "playwright-core";

/** The map as it was drawn: how many pixels of its events are not empty. */
export function inkOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".leaflet-overlay-pane canvas");
    if (!canvas) return 0;
    // Read from a copy: a canvas that is read becomes slower to draw.
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    if (!context) return 0;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let ink = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) ink++;
    return ink;
  });
}
