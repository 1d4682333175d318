import type L from "leaflet";
import type { Place } from "../model/great-circle.ts";
import { isControl, wrappedPlace } from "./base/map-reading.ts";
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
