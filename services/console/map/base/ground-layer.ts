import { GROUND } from "../../drawing/colours.ts";
import { worldSize, xOf, yOf } from "../../drawing/mercator.ts";
import type { View } from "../../drawing/view.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import { graticuleStep } from "./graticule.ts";
import type { Ground } from "./ground-files.ts";
import type { Ring } from "./rings.ts";

/** Points nearer to each other than this are one, pixels of the picture. */
const DETAIL = 0.7;

/** Letters of the places' names, and from the place to its name, pixels of the screen. */
const LETTERS = "11px system-ui, sans-serif";
const LETTERS_SIZE = 11;
const DOT = 1.5;
const BESIDE = 5;

/** Land, lakes, a graticule and places. */
export class GroundLayer extends CanvasLayer {
  private ground: Ground = { land: [], lakes: [], places: [] };
  private theme: keyof typeof GROUND = "light";

  constructor() {
    super("tilePane");
  }

  /** Takes what has come; the rest stays. */
  setGround(part: Partial<Ground>): void {
    this.ground = { ...this.ground, ...part };
    this.redraw();
  }

  setTheme(theme: keyof typeof GROUND): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas, ground } = this;
    const { land, lake, coast, graticule } = GROUND[this.theme];
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.strokeStyle = coast;
    context.lineWidth = view.ratio * 0.75;
    this.fillAreas(ground.land, land, view);
    this.fillAreas(ground.lakes, lake, view);
    context.strokeStyle = graticule;
    context.lineWidth = view.ratio * 0.5;
    context.beginPath();
    this.traceGraticule(view);
    context.stroke();
    this.namePlaces(view);
  }

  private fillAreas(rings: readonly Ring[], colour: string, view: View): void {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    this.traceRings(rings, view);
    context.fill("evenodd");
    context.stroke();
  }

  private traceRings(rings: readonly Ring[], view: View): void {
    const world = worldSize(view.zoom) * view.ratio;
    const left = view.left * view.ratio;
    const top = view.top * view.ratio;
    const { width, height } = this.canvas;
    // A ring over the date line reaches into the next turn.
    const first = Math.floor(left / world) - 1;
    const last = Math.floor((left + width) / world) + 1;
    for (let turn = first; turn <= last; turn++) {
      const shift = turn * world - left;
      for (const ring of rings) {
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

  private namePlaces(view: View): void {
    const { context } = this;
    const { ratio, zoom } = view;
    const { place, halo } = GROUND[this.theme];
    const world = worldSize(zoom);
    const turn = Math.floor(view.left / world);
    context.save();
    context.scale(ratio, ratio);
    context.font = LETTERS;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = halo;
    context.fillStyle = place;
    for (const { name, x, y, zoom: from } of this.ground.places) {
      if (from > zoom) continue;
      const top = y * world - view.top;
      if (top < -LETTERS_SIZE || top > view.height + LETTERS_SIZE) continue;
      for (let left = (turn + x) * world - view.left; left < view.width; left += world) {
        context.fillRect(left - DOT, top - DOT, 2 * DOT, 2 * DOT);
        context.strokeText(name, left + BESIDE, top);
        context.fillText(name, left + BESIDE, top);
      }
    }
    context.restore();
  }
}
