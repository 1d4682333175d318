import { computed, type ReadonlySignal, type Signal } from "@preact/signals";
import L from "leaflet";
import type { Classes } from "../drawing/classes.ts";
import { RINGS, SHADES } from "../drawing/colours.ts";
import { discScale, MAX_DISCS, sizesOf } from "../drawing/discs.ts";
import { project } from "../drawing/mercator.ts";
import {
  drawDensity,
  drawDiscs,
  largestOf,
  look,
  nearest,
  type Picture,
  pictureOf,
  roomFor,
  type Seen,
  show,
  type View,
} from "../drawing/picture.ts";
import { nearestTurn } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { Place } from "../model/great-circle.ts";
import { theme } from "../ui/style/theme.ts";
import { CanvasLayer } from "./base/canvas-layer.ts";

/** So many of the largest events stand on a density as discs. */
export const LARGEST = 100;

export type Drawing = {
  readonly columns: EventColumns;
  /** Indexes of the events that pass the filters, ascending; null for all. */
  readonly indexes: Uint32Array | null;
  readonly classes: Classes;
};

export type Drawn = {
  /** The least number of events for each shade of a density; null where discs are drawn. */
  readonly density: readonly number[] | null;
  /** How large discs are (`discScale`). */
  readonly scale: number;
};

/** The events of a catalogue as discs, or as a density, written pixel by pixel. @param drawn gets what is shown whenever it is drawn */
export function eventLayer(drawing: ReadonlySignal<Drawing | null>, drawn: Signal<Drawn | null>) {
  const columns = computed(() => drawing.value?.columns ?? null);
  const prepared = computed(
    () =>
      columns.value && {
        projected: project(columns.value.latitude, columns.value.longitude),
        sizes: sizesOf(columns.value.magnitude),
        // A view wider than the world shows an event twice.
        seen: roomFor(2 * columns.value.count),
      },
  );
  let picture: Picture | null = null;
  let shown: { readonly view: View; readonly discs: Seen } | null = null;
  const draw = (view: View, context: CanvasRenderingContext2D) => {
    if (!drawing.value || !prepared.value) return;
    const { projected, sizes, seen } = prepared.value;
    const { classes, indexes } = drawing.value;
    const { width, height } = context.canvas;
    const isSame =
      picture?.ratio === view.ratio &&
      picture.image.width - 2 * picture.margin === width &&
      picture.image.height - 2 * picture.margin === height;
    const fresh = picture && isSame ? picture : pictureOf(view.width, view.height, view.ratio);
    if (fresh === picture) fresh.image.data.fill(0);
    picture = fresh;
    look(projected, indexes, view, fresh.margin, seen);
    const isDensity = seen.count > MAX_DISCS;
    const scale = discScale(view.zoom);
    const fills = classes.classes.map(({ colour }) => colour);
    const density = isDensity ? drawDensity(fresh, seen, SHADES[theme.value]) : null;
    // What is drawn as discs: all that is seen, or the largest upon a density.
    const discs = isDensity ? largestOf(seen, sizes, LARGEST) : seen;
    drawDiscs(fresh, discs, sizes, classes.classOf, { fills, ring: RINGS[theme.value], scale });
    show(fresh, context);
    shown = { view, discs };
    drawn.value = { density, scale };
  };
  /** The event at a place of the map's world, pixels of the screen at its zoom; null without one. */
  const eventAt = ({ x, y }: L.Point): number | null => {
    if (!shown || !prepared.value) return null;
    const { left, top, ratio, zoom } = shown.view;
    const { sizes, seen } = prepared.value;
    const at = { x: (x - left) * ratio, y: (y - top) * ratio };
    const disc = nearest(shown.discs, at, ratio, { sizes, scale: discScale(zoom) });
    return disc ?? (shown.discs === seen ? null : nearest(seen, at, ratio, null));
  };
  return { layer: new CanvasLayer("overlayPane", draw, () => drawing.value), eventAt };
}

/** From place to place, each time the short way around the world. */
export type Line = readonly Place[];

/**
 * Draws straight lines between places, for example of two solutions of one earthquake, or outlines of areas.
 * @param className what tells them from others (map.css)
 */
export function drawLines(
  map: L.Map,
  className: string,
  lines: ReadonlySignal<readonly Line[]>,
): () => void {
  const exact = { smoothFactor: 0, noClip: true };
  const drawn = L.polyline([], { className, interactive: false, ...exact }).addTo(map);
  /** In the copy of the world that is in view. */
  const draw = () => {
    const { lng } = map.getCenter();
    drawn.setLatLngs(
      lines.value.map((line) => {
        let before = lng;
        return line.map(({ latitude, longitude }) => {
          before = nearestTurn(longitude, before);
          return L.latLng(latitude, before);
        });
      }),
    );
  };
  map.on("moveend", draw);
  return lines.subscribe(draw);
}
