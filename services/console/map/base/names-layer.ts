import type L from "leaflet";
import { GROUND } from "../../drawing/colours.ts";
import { worldSize } from "../../drawing/mercator.ts";
import type { View } from "../../drawing/view.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import type { Place } from "./places.ts";
import type { Theme } from "./relief.ts";
import type { Ring } from "./rings.ts";
import { traceLines } from "./trace.ts";

/** The pane above the events (map.css). */
export const NAMES_PANE = "names";

/** Letters of the places' names, and from the place to its name, pixels of the screen. */
const LETTERS = "500 12px 'Console Sans', system-ui, sans-serif";
const LETTERS_SIZE = 12;
const DOT = 1.5;
const BESIDE = 5;
/** The degrees of meridians stand along the upper edge, in a line of this height. */
const EDGE = 22;
/** The buttons at the upper left corner of a map, pixels of the screen. */
const CONTROLS = { width: 46, height: 410 };
/** Below this zoom names would stand closer than their places' zooms promise. */
const NAMES_FROM_ZOOM = 1;

/** Names of places above the events; where a density hides the ground also its coasts. */
export class NamesLayer extends CanvasLayer {
  private places: readonly (readonly Place[])[] = [];
  private coasts: readonly (readonly Ring[])[] = [];
  private theme: Theme = "light";
  private hasCoasts = false;

  constructor() {
    super(NAMES_PANE);
  }

  /** Names are drawn anew once the type face has come. */
  override onAdd(map: L.Map): this {
    document.fonts.ready.then(
      () => this.redraw(),
      () => undefined,
    );
    return super.onAdd(map);
  }

  setPlaces(places: readonly (readonly Place[])[]): void {
    this.places = places;
    this.redraw();
  }

  setCoasts(coasts: readonly (readonly Ring[])[]): void {
    this.coasts = coasts;
    if (this.hasCoasts) this.redraw();
  }

  /** Whether coasts are drawn here too. */
  showCoasts(hasCoasts: boolean): void {
    if (hasCoasts === this.hasCoasts) return;
    this.hasCoasts = hasCoasts;
    this.redraw();
  }

  setTheme(theme: Theme): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas, coasts } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (this.hasCoasts) {
      context.strokeStyle = GROUND[this.theme].place;
      context.lineWidth = view.ratio;
      context.beginPath();
      for (const rings of coasts) traceLines(context, rings, view);
      context.stroke();
    }
    if (view.zoom >= NAMES_FROM_ZOOM) this.namePlaces(view);
  }

  /** Whether a name would stand across an edge of the map or of its buttons, or in the line of its degrees. */
  private isCut(view: View, name: { left: number; top: number; wide: number }): boolean {
    const size = this._map.getSize();
    // The picture reaches beyond the map, for what is dragged into it.
    const left = name.left - (view.width - size.x) / 2;
    const top = name.top - (view.height - size.y) / 2;
    const isAcross = (at: number, from: number, to: number) => from < at && at < to;
    return (
      isAcross(0, left - DOT, left + name.wide) ||
      (top < CONTROLS.height && isAcross(CONTROLS.width, left, left + name.wide)) ||
      isAcross(size.x, left, left + name.wide) ||
      isAcross(top, -LETTERS_SIZE, EDGE) ||
      isAcross(size.y, top - LETTERS_SIZE, top + LETTERS_SIZE)
    );
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
    for (const { name, x, y, zoom: from } of this.places.flat()) {
      if (from > zoom) continue;
      const top = y * world - view.top;
      if (top < -LETTERS_SIZE || top > view.height + LETTERS_SIZE) continue;
      const wide = BESIDE + context.measureText(name).width;
      for (let left = (turn + x) * world - view.left; left < view.width; left += world) {
        if (this.isCut(view, { left, top, wide })) continue;
        context.fillRect(left - DOT, top - DOT, 2 * DOT, 2 * DOT);
        context.strokeText(name, left + BESIDE, top);
        context.fillText(name, left + BESIDE, top);
      }
    }
    context.restore();
  }
}
