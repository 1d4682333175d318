import { CanvasLayer } from "./canvas-layer.ts";
import { GROUND } from "./colours.ts";
import { graticuleStep } from "./graticule.ts";
import type { Ring } from "./land.ts";
import { worldSize, xOf, yOf } from "./mercator.ts";
import type { View } from "./view.ts";

/** Points nearer to each other than this are one, pixels of the picture. */
const DETAIL = 0.7;

/** Land and a graticule. */
export class LandLayer extends CanvasLayer {
  private rings: readonly Ring[] = [];
  private theme: keyof typeof GROUND = "light";

  constructor() {
    super("tilePane");
  }

  setRings(rings: readonly Ring[]): void {
    this.rings = rings;
    this.redraw();
  }

  setTheme(theme: keyof typeof GROUND): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas } = this;
    const { land, coast, graticule } = GROUND[this.theme];
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = land;
    context.strokeStyle = coast;
    context.lineWidth = view.ratio * 0.75;
    context.beginPath();
    this.traceLand(view);
    context.fill("evenodd");
    context.stroke();
    context.strokeStyle = graticule;
    context.lineWidth = view.ratio * 0.5;
    context.beginPath();
    this.traceGraticule(view);
    context.stroke();
  }

  private traceLand(view: View): void {
    const world = worldSize(view.zoom) * view.ratio;
    const left = view.left * view.ratio;
    const top = view.top * view.ratio;
    const { width, height } = this.canvas;
    const first = Math.floor(left / world);
    const last = Math.floor((left + width) / world);
    for (let turn = first; turn <= last; turn++) {
      const shift = turn * world - left;
      for (const ring of this.rings) {
        const isSeen =
          ring.right * world + shift >= 0 &&
          ring.left * world + shift <= width &&
          ring.bottom * world - top >= 0 &&
          ring.top * world - top <= height;
        if (isSeen) this.traceRing(ring.points, world, shift, top);
      }
    }
  }

  private traceRing(points: Float64Array, world: number, shift: number, top: number): void {
    const { context } = this;
    let [lastX, lastY] = [Number.NaN, Number.NaN];
    for (let i = 0; i < points.length; i += 2) {
      const x = (points[i] ?? 0) * world + shift;
      const y = (points[i + 1] ?? 0) * world - top;
      if (Math.abs(x - lastX) < DETAIL && Math.abs(y - lastY) < DETAIL) continue;
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
      [lastX, lastY] = [x, y];
    }
    context.closePath();
  }

  private traceGraticule(view: View): void {
    const { context } = this;
    const { width, height } = this.canvas;
    const world = worldSize(view.zoom) * view.ratio;
    const [left, top] = [view.left * view.ratio, view.top * view.ratio];
    const step = graticuleStep(view.zoom);
    const from = Math.floor(((left / world - 0.5) * 360) / step) * step;
    for (let longitude = from; ; longitude += step) {
      const x = xOf(longitude) * world - left;
      if (x > width) break;
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    for (let latitude = -90 + step; latitude < 90; latitude += step) {
      const y = yOf(latitude) * world - top;
      if (y < 0 || y > height) continue;
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
  }
}
