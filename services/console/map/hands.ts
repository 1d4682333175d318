import type L from "leaflet";
import { MAX_WKT_VERTICES, type Position } from "#contracts/geometry/shape.ts";
import { TILE_SIZE } from "../drawing/mercator.ts";
import type { Place } from "../model/great-circle.ts";
import { isControl, wrappedPlace } from "./base/base-map.ts";
import { type DraggedTool, type Shape, shapeBetween } from "./shapes.ts";

type HandListeners = {
  /** The shape as it is drawn; null when it is given up. */
  readonly onDrawing: (shape: Shape | null) => void;
  readonly onShape: (shape: Shape) => void;
};

/** Less than this is a click that draws nothing, pixels. */
const LEAST = 4;

/** Draws with the pointer what a tool makes, in place of moving the map. */
export class DrawingHand {
  private tool: DraggedTool | null = null;
  /** Whether a click that comes now belongs to what has been drawn. */
  private hasDrawn = false;
  private start: { readonly place: Place; readonly x: number; readonly y: number } | null = null;
  private readonly map: L.Map;
  private readonly listeners: HandListeners;

  constructor(map: L.Map, listeners: HandListeners) {
    this.map = map;
    this.listeners = listeners;
    const container = map.getContainer();
    // Before Leaflet, which would move the map.
    container.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    container.addEventListener("pointermove", (event) => this.follow(event));
    container.addEventListener("pointerup", (event) => this.end(event));
    container.addEventListener("pointercancel", () => this.giveUp());
    container.addEventListener("click", (event) => this.swallow(event), { capture: true });
  }

  /** Takes a tool into the hand; null: the pointer moves the map again. */
  take(tool: DraggedTool | null): void {
    this.giveUp();
    this.tool = tool;
    const { dragging, boxZoom } = this.map;
    for (const handler of [dragging, boxZoom]) {
      if (tool === null) handler.enable();
      else handler.disable();
    }
  }

  private placeOf(event: MouseEvent): Place {
    return wrappedPlace(this.map.mouseEventToLatLng(event));
  }

  private begin(event: PointerEvent): void {
    this.hasDrawn = false;
    if (this.tool === null || event.button !== 0 || isControl(event)) return;
    this.start = { place: this.placeOf(event), x: event.clientX, y: event.clientY };
    this.map.getContainer().setPointerCapture(event.pointerId);
  }

  private follow(event: PointerEvent): void {
    const shape = this.shapeAt(event);
    if (shape) this.listeners.onDrawing(shape);
  }

  private end(event: PointerEvent): void {
    const shape = this.shapeAt(event);
    this.hasDrawn = shape !== null;
    this.giveUp();
    if (shape) this.listeners.onShape(shape);
  }

  private shapeAt(event: PointerEvent): Shape | null {
    const { start, tool } = this;
    if (!start || tool === null) return null;
    const far = Math.hypot(event.clientX - start.x, event.clientY - start.y);
    return far < LEAST ? null : shapeBetween(tool, start.place, this.placeOf(event));
  }

  private giveUp(): void {
    if (this.start) this.listeners.onDrawing(null);
    this.start = null;
  }

  /** With a tool in the hand nothing is chosen. */
  private swallow(event: Event): void {
    const isDrawing = this.tool !== null || this.hasDrawn;
    if (isDrawing && !isControl(event)) event.stopPropagation();
  }
}

type VertexListeners = {
  /** What is drawn so far; null when it is given up. */
  readonly onDrawing: (shape: Shape | null) => void;
  readonly onShape: (shape: Shape) => void;
};

export const LEAST_VERTICES = 3;
/** A pointer that moves farther between down and up moves the map, pixels. */
const CLICK = 4;
/** A click so near to the first or the last vertex closes the polygon, pixels. */
const NEAR = 8;
/** Digits of a degree at the closest views. */
const MOST_DIGITS = 5;
/** Longitudes of a polygon may go so far beyond the antimeridian, degrees. */
const FARTHEST = 360;

/** Draws a polygon, by clicks or by keys; dragging moves the map meanwhile. */
export class VertexHand {
  private isHeld = false;
  /** Whether keys aim, at the middle of the map. */
  private isAiming = false;
  /** Whether a click that comes now belongs to what has been drawn. */
  private hasDrawn = false;
  private down = { x: Number.NaN, y: Number.NaN };
  /** With longitudes of the copy of the world where the first vertex is, from −180 to 180. */
  private vertices: readonly Position[] = [];
  private turns = 0;
  private readonly map: L.Map;
  private readonly listeners: VertexListeners;

  constructor(map: L.Map, listeners: VertexListeners) {
    this.map = map;
    this.listeners = listeners;
    const container = map.getContainer();
    // Before Leaflet, which would choose events and zoom.
    const early = { capture: true };
    container.addEventListener("pointerdown", (event) => this.press(event), early);
    container.addEventListener("pointermove", (event) => this.follow(event));
    container.addEventListener("click", (event) => this.click(event), early);
    container.addEventListener("dblclick", (event) => this.swallow(event), early);
    container.addEventListener("keydown", (event) => this.key(event), early);
    map.on("move", () => this.isAiming && this.tell(map.getCenter()));
  }

  take(isHeld: boolean): void {
    if (this.vertices.length > 0) this.listeners.onDrawing(null);
    this.vertices = [];
    this.isHeld = isHeld;
    this.aim(false);
  }

  /** Takes the last vertex back. */
  takeBack(): void {
    this.vertices = this.vertices.slice(0, -1);
    this.tell(null);
  }

  /** Ends the drawing with a polygon, where there are enough vertices for one. */
  close(): void {
    const { vertices } = this;
    if (vertices.length < LEAST_VERTICES) return;
    this.hasDrawn = true;
    this.take(false);
    this.listeners.onShape({
      kind: "polygon",
      area: [[[...vertices, ...vertices.slice(0, 1)]]],
    });
  }

  private press(event: PointerEvent): void {
    this.hasDrawn = false;
    this.down = { x: event.clientX, y: event.clientY };
    this.aim(false);
  }

  private follow(event: PointerEvent): void {
    const isHovering = this.isHeld && event.pointerType !== "touch" && !isControl(event);
    if (isHovering && this.vertices.length > 0) this.tell(this.map.mouseEventToLatLng(event));
  }

  private click(event: MouseEvent): void {
    if (!this.swallow(event) || !this.isHeld) return;
    const { x, y } = this.down;
    if (Math.hypot(event.clientX - x, event.clientY - y) > CLICK) return;
    const at = this.map.mouseEventToContainerPoint(event);
    const [first, last] = [this.vertices[0], this.vertices.at(-1)];
    const isAt = (vertex: Position | undefined) =>
      vertex !== undefined && this.pointOf(vertex).distanceTo(at) <= NEAR;
    // The last one too: that is a double click.
    if (isAt(first) || isAt(last)) this.close();
    else this.add(this.map.mouseEventToLatLng(event));
  }

  /** While something is drawn nothing is chosen or zoomed. */
  private swallow(event: Event): boolean {
    const isOurs = (this.isHeld || this.hasDrawn) && !isControl(event);
    if (isOurs) event.stopImmediatePropagation();
    return isOurs;
  }

  private key(event: KeyboardEvent): void {
    if (!this.isHeld || event.target !== this.map.getContainer()) return;
    if (event.key.startsWith("Arrow")) this.aim(true);
    const does = this.doneBy(event.key);
    if (does === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    does();
  }

  private doneBy(key: string): (() => void) | undefined {
    switch (key) {
      case " ":
        return () => {
          this.aim(true);
          this.add(this.map.getCenter());
        };
      case "Enter":
        return () => this.close();
      case "Backspace":
        return () => this.takeBack();
    }
    return undefined;
  }

  /** A cross in the middle of the map shows where the next vertex comes (map.css). */
  private aim(isAiming: boolean): void {
    this.isAiming = isAiming;
    this.map.getContainer().classList.toggle("aiming", isAiming);
  }

  private add(place: L.LatLng): void {
    if (this.vertices.length === 0) this.turns = Math.round(place.lng / 360);
    const vertex = this.vertexAt(place);
    const last = this.vertices.at(-1);
    const isSame = last !== undefined && last[0] === vertex[0] && last[1] === vertex[1];
    const isTooFar = Math.abs(vertex[0]) > FARTHEST;
    if (isSame || isTooFar || this.vertices.length === MAX_WKT_VERTICES) return;
    this.vertices = [...this.vertices, vertex];
    this.tell(null);
  }

  /** As exact as the map shows it. */
  private vertexAt({ lat, lng }: L.LatLng): Position {
    const pixels = (TILE_SIZE * 2 ** this.map.getZoom()) / 360;
    const digits = Math.min(MOST_DIGITS, Math.max(1, Math.ceil(Math.log10(pixels))));
    const rounded = (degrees: number) => Number(degrees.toFixed(digits));
    return [rounded(lng - 360 * this.turns), rounded(Math.max(-90, Math.min(90, lat)))];
  }

  private pointOf([longitude, latitude]: Position): L.Point {
    return this.map.latLngToContainerPoint([latitude, longitude + 360 * this.turns]);
  }

  private tell(next: L.LatLng | null): void {
    const { vertices } = this;
    const drawn = { kind: "draft", vertices, next: next && this.vertexAt(next) } as const;
    this.listeners.onDrawing(vertices.length === 0 ? null : drawn);
  }
}
