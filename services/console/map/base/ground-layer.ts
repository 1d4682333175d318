import { GROUND } from "../../drawing/colours.ts";
import type { View } from "../../drawing/view.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import type { GroundPart } from "./ground-files.ts";
import { drawRelief, type ReliefPart, shadowsOf, type Theme } from "./relief.ts";
import type { Ring } from "./rings.ts";
import { traceAreas, traceGraticule, traceLines } from "./trace.ts";

/** What lies under the events. */
export type Ground = {
  readonly parts: readonly GroundPart[];
  readonly plates: readonly Ring[];
  readonly relief: readonly ReliefPart[];
};

export const NO_GROUND: Ground = { parts: [], plates: [], relief: [] };

/** Borders and rivers are told on closer maps alone. */
const BORDERS_FROM_ZOOM = 2.2;
const RIVERS_FROM_ZOOM = 4;
/** Plate boundaries are known to some ten kilometres: they fade away as one comes closer. */
const PLATES_FADE_FROM_ZOOM = 5;
export const PLATES_UP_TO_ZOOM = 7;
const PLATES_COVER = 0.75;

/** Land with its relief, water, borders, plate boundaries and a graticule. */
export class GroundLayer extends CanvasLayer {
  private ground = NO_GROUND;
  private theme: Theme = "light";
  private shadows: OffscreenCanvas | null = null;

  constructor() {
    super("tilePane");
  }

  /** Takes what has come; the rest stays. */
  setGround(part: Partial<Ground>): void {
    this.ground = { ...this.ground, ...part };
    if (part.relief) this.shadows = shadowsOf(part.relief, this.theme);
    this.redraw();
  }

  setTheme(theme: Theme): void {
    if (theme === this.theme) return;
    this.theme = theme;
    if (this.shadows) this.shadows = shadowsOf(this.ground.relief, theme);
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas, shadows } = this;
    const { parts, plates } = this.ground;
    const colours = GROUND[this.theme];
    const { ratio, zoom } = view;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineJoin = "round";
    // All parts in one path: where two tiles overlap there is no seam.
    this.fill(colours.land, () => {
      for (const { land } of parts) traceAreas(context, land, view);
    });
    if (shadows) drawRelief(context, shadows, view);
    this.fill(colours.lake, () => {
      for (const { lakes } of parts) traceAreas(context, lakes, view);
    });
    this.stroke(colours.graticule, ratio, () => traceGraticule(context, view));
    if (zoom >= RIVERS_FROM_ZOOM) {
      this.stroke(colours.river, ratio, () => {
        for (const { rivers } of parts) traceLines(context, rivers, view);
      });
    }
    if (zoom >= BORDERS_FROM_ZOOM) {
      context.setLineDash([4 * ratio, 2 * ratio]);
      this.stroke(colours.border, 0.8 * ratio, () => {
        for (const { borders } of parts) traceLines(context, borders, view);
      });
      context.setLineDash([]);
    }
    this.stroke(colours.coast, 0.8 * ratio, () => {
      for (const { land, lakes } of parts) {
        traceLines(context, land, view);
        traceLines(context, lakes, view);
      }
    });
    const fading = (PLATES_UP_TO_ZOOM - zoom) / (PLATES_UP_TO_ZOOM - PLATES_FADE_FROM_ZOOM);
    context.globalAlpha = PLATES_COVER * Math.max(0, Math.min(1, fading));
    this.stroke(colours.plate, 1.4 * ratio, () => traceLines(context, plates, view));
    context.globalAlpha = 1;
  }

  private fill(colour: string, trace: () => void): void {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    trace();
    context.fill("nonzero");
  }

  private stroke(colour: string, width: number, trace: () => void): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    trace();
    context.stroke();
  }
}
