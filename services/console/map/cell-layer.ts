import { cssOf, GREY, SHADES } from "../drawing/colours.ts";
import { densitySteps, shadeOf } from "../drawing/density.ts";
import { worldSize, xOf, yOf } from "../drawing/mercator.ts";
import type { View } from "../drawing/view.ts";
import { CanvasLayer } from "./base/canvas-layer.ts";

/** Squares of the world with the number of events in each. */
export type Cells = {
  /** A side, degrees. */
  readonly side: number;
  readonly cells: readonly {
    /** The southern and the western edge, degrees. */
    readonly latitude: number;
    readonly longitude: number;
    readonly count: number;
  }[];
};

/** The least number of events for each shade. */
export function stepsOf({ cells }: Cells, theme: keyof typeof SHADES): readonly number[] {
  const most = cells.reduce((largest, { count }) => Math.max(largest, count), 1);
  return densitySteps(most, SHADES[theme].length);
}

/** How many events lie in each square, where there are too many to draw one by one. */
export class CellLayer extends CanvasLayer {
  private cells: Cells = { side: 1, cells: [] };
  private theme: keyof typeof SHADES = "light";

  constructor() {
    super("overlayPane");
  }

  setCells(cells: Cells, theme: keyof typeof SHADES): void {
    this.cells = cells;
    this.theme = theme;
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas, theme } = this;
    const { side, cells } = this.cells;
    const from = stepsOf(this.cells, theme);
    const shades = SHADES[theme].map(cssOf);
    const world = worldSize(view.zoom) * view.ratio;
    const [left, top] = [view.left * view.ratio, view.top * view.ratio];
    const turn = Math.floor(left / world);
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const { latitude, longitude, count } of cells) {
      const y = Math.floor(yOf(latitude + side) * world - top);
      const high = Math.ceil(yOf(latitude) * world - top) - y;
      if (y + high < 0 || y > canvas.height) continue;
      context.fillStyle = shades[shadeOf(count, from)] ?? cssOf(GREY);
      const wide = Math.ceil((side / 360) * world);
      for (let x = (turn + xOf(longitude)) * world - left; x < canvas.width; x += world) {
        context.fillRect(Math.floor(x), y, wide, high);
      }
    }
  }
}
