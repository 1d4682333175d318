import { computed, signal } from "@preact/signals";
import { GROUND } from "../../drawing/colours.ts";
import type { View } from "../../drawing/view.ts";
import { theme } from "../../ui/style/theme.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import type { GroundPart } from "./ground-files.ts";
import { drawRelief, type ReliefPart, shadowsOf } from "./relief.ts";
import type { Ring } from "./rings.ts";
import { traceAreas, traceGraticule, traceLines } from "./trace.ts";

/** What lies under the events, as far as it has come. */
export function createGround() {
  return {
    parts: signal<readonly GroundPart[]>([]),
    plates: signal<readonly Ring[]>([]),
    relief: signal<readonly ReliefPart[]>([]),
    /** Whether the events hide the ground, so that its coasts are drawn above them. */
    isHidden: signal(false),
  };
}
export type Ground = ReturnType<typeof createGround>;

/** Borders and rivers are told on closer maps alone. */
const BORDERS_FROM_ZOOM = 2.2;
const RIVERS_FROM_ZOOM = 4;
/** Plate boundaries are known to some ten kilometres: they fade away as one comes closer. */
const PLATES_FADE_FROM_ZOOM = 5;
export const PLATES_UP_TO_ZOOM = 7;
const PLATES_COVER = 0.75;

/** Land with its relief, water, borders, plate boundaries and a graticule. */
export function groundLayer({ parts, plates, relief }: Ground): CanvasLayer {
  const shadows = computed(() =>
    relief.value.length > 0 ? shadowsOf(relief.value, theme.value) : null,
  );
  const draw = (view: View, context: CanvasRenderingContext2D) => {
    const colours = GROUND[theme.value];
    const { ratio, zoom } = view;
    const fill = (colour: string, trace: (part: GroundPart) => void) => {
      context.fillStyle = colour;
      context.beginPath();
      for (const part of parts.value) trace(part);
      context.fill("nonzero");
    };
    const stroke = (colour: string, width: number, trace: () => void) => {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      trace();
      context.stroke();
    };
    const lines = (kind: "land" | "lakes" | "borders" | "rivers") => {
      for (const part of parts.value) traceLines(context, part[kind], view);
    };
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.lineJoin = "round";
    // All parts in one path: where two tiles overlap there is no seam.
    fill(colours.land, ({ land }) => traceAreas(context, land, view));
    if (shadows.value) drawRelief(context, shadows.value, view);
    fill(colours.lake, ({ lakes }) => traceAreas(context, lakes, view));
    stroke(colours.graticule, ratio, () => traceGraticule(context, view));
    if (zoom >= RIVERS_FROM_ZOOM) stroke(colours.river, ratio, () => lines("rivers"));
    if (zoom >= BORDERS_FROM_ZOOM) {
      context.setLineDash([4 * ratio, 2 * ratio]);
      stroke(colours.border, 0.8 * ratio, () => lines("borders"));
      context.setLineDash([]);
    }
    stroke(colours.coast, 0.8 * ratio, () => {
      lines("land");
      lines("lakes");
    });
    const fading = (PLATES_UP_TO_ZOOM - zoom) / (PLATES_UP_TO_ZOOM - PLATES_FADE_FROM_ZOOM);
    context.globalAlpha = PLATES_COVER * Math.max(0, Math.min(1, fading));
    stroke(colours.plate, 1.4 * ratio, () => traceLines(context, plates.value, view));
    context.globalAlpha = 1;
  };
  return new CanvasLayer("tilePane", draw, () => [parts.value, plates.value, relief.value]);
}
