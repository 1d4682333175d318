import type { Signal } from "@preact/signals";
import type L from "leaflet";
import { MAX_WKT_VERTICES, type Position } from "#contracts/geometry/shape.ts";
import { TILE_SIZE } from "../drawing/mercator.ts";
import type { Place } from "../model/great-circle.ts";
import { isControl, wrappedPlace } from "./base/base-map.ts";
import { type DraggedTool, type Shape, shapeBetween } from "./shapes.ts";

/** Less than this is a click that draws nothing, pixels. */
const LEAST = 4;

/** Draws with the pointer what a tool makes, in place of moving the map. @param draft gets the shape as it is drawn; null when it is given up */
export function drawingHand(
  map: L.Map,
  draft: Signal<Shape | null>,
  onShape: (shape: Shape) => void,
) {
  let tool: DraggedTool | null = null;
  /** Whether a click that comes now belongs to what has been drawn. */
  let hasDrawn = false;
  let start: { readonly place: Place; readonly x: number; readonly y: number } | null = null;
  const placeOf = (event: MouseEvent) => wrappedPlace(map.mouseEventToLatLng(event));
  const shapeAt = (event: PointerEvent): Shape | null => {
    if (!start || tool === null) return null;
    const far = Math.hypot(event.clientX - start.x, event.clientY - start.y);
    return far < LEAST ? null : shapeBetween(tool, start.place, placeOf(event));
  };
  const giveUp = () => {
    if (start) draft.value = null;
    start = null;
  };
  const container = map.getContainer();
  // Before Leaflet, which would move the map.
  const early = { capture: true };
  const begin = (event: PointerEvent) => {
    hasDrawn = false;
    if (tool === null || event.button !== 0 || isControl(event)) return;
    start = { place: placeOf(event), x: event.clientX, y: event.clientY };
    container.setPointerCapture(event.pointerId);
  };
  container.addEventListener("pointerdown", begin, early);
  container.addEventListener("pointermove", (event) => {
    const shape = shapeAt(event);
    if (shape) draft.value = shape;
  });
  container.addEventListener("pointerup", (event) => {
    const shape = shapeAt(event);
    hasDrawn = shape !== null;
    giveUp();
    if (shape) onShape(shape);
  });
  container.addEventListener("pointercancel", giveUp);
  // With a tool in the hand nothing is chosen.
  const swallow = (event: Event) => {
    if ((tool !== null || hasDrawn) && !isControl(event)) event.stopPropagation();
  };
  container.addEventListener("click", swallow, early);
  return {
    /** Takes a tool into the hand; null: the pointer moves the map again. */
    take(taken: DraggedTool | null): void {
      giveUp();
      tool = taken;
      for (const handler of [map.dragging, map.boxZoom]) {
        if (tool === null) handler.enable();
        else handler.disable();
      }
    },
  };
}

export const LEAST_VERTICES = 3;
/** A pointer that moves farther between down and up moves the map, pixels. */
const CLICK = 4;
/** A click so near to the first or the last vertex closes the polygon, pixels. */
const NEAR = 8;
/** Digits of a degree at the closest views. */
const MOST_DIGITS = 5;
/** Longitudes of a polygon may go so far beyond the antimeridian, degrees. */
const FARTHEST = 360;

/** Draws a polygon, by clicks or by keys; dragging moves the map meanwhile. @param draft gets what is drawn so far; null when it is given up */
export function vertexHand(
  map: L.Map,
  draft: Signal<Shape | null>,
  onShape: (shape: Shape) => void,
) {
  let isHeld = false;
  /** Whether keys aim, at the middle of the map. */
  let isAiming = false;
  /** Whether a click that comes now belongs to what has been drawn. */
  let hasDrawn = false;
  let down = { x: Number.NaN, y: Number.NaN };
  /** With longitudes of the copy of the world where the first vertex is, from −180 to 180. */
  let vertices: readonly Position[] = [];
  let turns = 0;
  const container = map.getContainer();

  /** A cross in the middle of the map shows where the next vertex comes (map.css). */
  const aim = (isAimed: boolean) => {
    isAiming = isAimed;
    container.classList.toggle("aiming", isAimed);
  };
  /** As exact as the map shows it. */
  const vertexAt = ({ lat, lng }: L.LatLng): Position => {
    const pixels = (TILE_SIZE * 2 ** map.getZoom()) / 360;
    const digits = Math.min(MOST_DIGITS, Math.max(1, Math.ceil(Math.log10(pixels))));
    const rounded = (degrees: number) => Number(degrees.toFixed(digits));
    return [rounded(lng - 360 * turns), rounded(Math.max(-90, Math.min(90, lat)))];
  };
  const tell = (next: L.LatLng | null) => {
    draft.value =
      vertices.length === 0 ? null : { kind: "draft", vertices, next: next && vertexAt(next) };
  };
  const add = (place: L.LatLng) => {
    if (vertices.length === 0) turns = Math.round(place.lng / 360);
    const vertex = vertexAt(place);
    const last = vertices.at(-1);
    const isSame = last !== undefined && last[0] === vertex[0] && last[1] === vertex[1];
    const isTooFar = Math.abs(vertex[0]) > FARTHEST;
    if (isSame || isTooFar || vertices.length === MAX_WKT_VERTICES) return;
    vertices = [...vertices, vertex];
    tell(null);
  };
  const take = (isTaken: boolean) => {
    if (vertices.length > 0) draft.value = null;
    vertices = [];
    isHeld = isTaken;
    aim(false);
  };
  const takeBack = () => {
    vertices = vertices.slice(0, -1);
    tell(null);
  };
  /** Ends the drawing with a polygon, where there are enough vertices for one. */
  const close = () => {
    const drawn = vertices;
    if (drawn.length < LEAST_VERTICES) return;
    hasDrawn = true;
    take(false);
    onShape({ kind: "polygon", area: [[[...drawn, ...drawn.slice(0, 1)]]] });
  };
  /** While something is drawn nothing is chosen or zoomed. */
  const swallow = (event: Event): boolean => {
    const isOurs = (isHeld || hasDrawn) && !isControl(event);
    if (isOurs) event.stopImmediatePropagation();
    return isOurs;
  };
  const click = (event: MouseEvent) => {
    if (!swallow(event) || !isHeld) return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > CLICK) return;
    const at = map.mouseEventToContainerPoint(event);
    // The last one too: that is a double click.
    const isAtEnd = [vertices[0], vertices.at(-1)].some((vertex) => {
      if (vertex === undefined) return false;
      const [longitude, latitude] = vertex;
      const point = map.latLngToContainerPoint([latitude, longitude + 360 * turns]);
      return point.distanceTo(at) <= NEAR;
    });
    if (isAtEnd) close();
    else add(map.mouseEventToLatLng(event));
  };
  const key = (event: KeyboardEvent) => {
    if (!isHeld || event.target !== container) return;
    if (event.key.startsWith("Arrow")) aim(true);
    if (event.key === " ") {
      aim(true);
      add(map.getCenter());
    } else if (event.key === "Enter") close();
    else if (event.key === "Backspace") takeBack();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const press = (event: PointerEvent) => {
    hasDrawn = false;
    down = { x: event.clientX, y: event.clientY };
    aim(false);
  };
  // Before Leaflet, which would choose events and zoom.
  const early = { capture: true };
  container.addEventListener("pointerdown", press, early);
  container.addEventListener("pointermove", (event) => {
    const isHovering = isHeld && event.pointerType !== "touch" && !isControl(event);
    if (isHovering && vertices.length > 0) tell(map.mouseEventToLatLng(event));
  });
  container.addEventListener("click", click, early);
  container.addEventListener("dblclick", swallow, early);
  container.addEventListener("keydown", key, early);
  map.on("move", () => isAiming && tell(map.getCenter()));
  return { take, takeBack, close };
}
