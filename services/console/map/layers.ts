import L from "leaflet";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, GREY, RINGS, SHADES } from "../drawing/colours.ts";
import { discScale, MAX_DISCS, sizesOf } from "../drawing/discs.ts";
import { type Projected, project, worldSize, xOf, yOf } from "../drawing/mercator.ts";
import {
  densitySteps,
  drawDensity,
  drawDiscs,
  nearest,
  type Picture,
  pictureOf,
  shadeOf,
  show,
} from "../drawing/picture.ts";
import { largestOf, look, roomFor, type Seen, type View } from "../drawing/view.ts";
import { nearestTurn } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { Place } from "../model/great-circle.ts";
import { CanvasLayer } from "./base/canvas-layer.ts";

/** So many of the largest events stand on a density as discs. */
export const LARGEST = 100;

/** What an event layer draws. */
export type Drawing = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly classes: Classes;
  readonly theme: "light" | "dark";
};

/** What a view showed. */
export type Drawn = {
  /** The least number of events for each shade of a density; null where discs are drawn. */
  readonly density: readonly number[] | null;
  readonly seen: number;
  /** How large discs are (`discScale`). */
  readonly scale: number;
};

/** The events of a catalogue as discs, or as a density, written pixel by pixel. */
export class EventLayer extends CanvasLayer {
  private drawing: Drawing | null = null;
  private projected: Projected | null = null;
  private sizes: Uint8Array = new Uint8Array();
  private seen: Seen = roomFor(0);
  private picture: Picture | null = null;
  private view: View | null = null;
  /** What is drawn as discs: all that is seen, or the largest upon a density. */
  private discs: Seen = this.seen;
  private readonly onDrawn: (drawn: Drawn) => void;

  constructor(onDrawn: (drawn: Drawn) => void) {
    super("overlayPane");
    this.onDrawn = onDrawn;
  }

  setDrawing(drawing: Drawing): void {
    const { columns } = drawing;
    if (columns !== this.drawing?.columns) {
      this.projected = project(columns.latitude, columns.longitude);
      this.sizes = sizesOf(columns.magnitude);
      // A view wider than the world shows an event twice.
      this.seen = roomFor(2 * columns.count);
      this.discs = this.seen;
    }
    this.drawing = drawing;
    this.redraw();
  }

  /** The event at a place of the map's world, pixels of the screen at its zoom; null without one. */
  eventAt(x: number, y: number): number | null {
    if (!this.view) return null;
    const { left, top, ratio, zoom } = this.view;
    const at = { x: (x - left) * ratio, y: (y - top) * ratio };
    const drawn = nearest(this.discs, at, ratio, { sizes: this.sizes, scale: discScale(zoom) });
    return drawn ?? (this.discs === this.seen ? null : nearest(this.seen, at, ratio, null));
  }

  protected override draw(view: View): void {
    const { drawing, projected } = this;
    this.view = view;
    if (!drawing || !projected) return;
    const { picture } = this;
    const isSame =
      picture?.ratio === view.ratio &&
      picture.image.width - 2 * picture.margin === this.canvas.width &&
      picture.image.height - 2 * picture.margin === this.canvas.height;
    const fresh = picture && isSame ? picture : pictureOf(view.width, view.height, view.ratio);
    if (fresh === picture) fresh.image.data.fill(0);
    this.picture = fresh;
    look(projected, drawing.indexes, view, fresh.margin, this.seen);
    const isDensity = this.seen.count > MAX_DISCS;
    const { classes, theme } = drawing;
    const scale = discScale(view.zoom);
    const fills = classes.classes.map(({ colour }) => colour);
    const looks = { fills, ring: RINGS[theme], scale };
    const density = isDensity ? drawDensity(fresh, this.seen, SHADES[theme]) : null;
    this.discs = isDensity ? largestOf(this.seen, this.sizes, LARGEST) : this.seen;
    drawDiscs(fresh, this.discs, this.sizes, classes.classOf, looks);
    show(fresh, this.context);
    this.onDrawn({ density, seen: this.seen.count, scale });
  }
}

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

/** From place to place, each time the short way around the world. */
export type Line = readonly Place[];

/** Straight lines between places, for example of two solutions of one earthquake, or outlines of areas. */
export class ShapeLayer {
  private readonly drawn: L.Polyline;
  private readonly map: L.Map;
  private lines: readonly Line[] = [];

  /** @param className what tells it from others (map.css) */
  constructor(map: L.Map, className: string) {
    this.map = map;
    const exact = { smoothFactor: 0, noClip: true };
    this.drawn = L.polyline([], { className, interactive: false, ...exact }).addTo(map);
    map.on("moveend", () => this.draw());
  }

  setLines(lines: readonly Line[]): void {
    if (this.lines.length === 0 && lines.length === 0) return;
    this.lines = lines;
    this.draw();
  }

  /** In the copy of the world that is in view. */
  private draw(): void {
    const { lng } = this.map.getCenter();
    this.drawn.setLatLngs(
      this.lines.map((line) => {
        let before = lng;
        return line.map(({ latitude, longitude }) => {
          before = nearestTurn(longitude, before);
          return L.latLng(latitude, before);
        });
      }),
    );
  }
}
