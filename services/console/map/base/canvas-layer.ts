import { effect } from "@preact/signals";
import L from "leaflet";
import type { View } from "../../drawing/picture.ts";
import { theme } from "../../ui/style/theme.ts";

/** How far the picture reaches beyond the map on each side, as a share of the map's size. */
const BEYOND = 0.35;
/** While the map is dragged its picture is drawn anew as soon as less than this share is left. */
const LEFT = 0.05;
const MAX_RATIO = 2;

type Draw = (view: View, context: CanvasRenderingContext2D) => void;

/**
 * A picture of ours on a Leaflet map: a canvas larger than the map, which moves with it and is drawn
 * anew when its edge comes near, after a zoom, in another theme and when what it shows has changed.
 */
export class CanvasLayer extends L.Layer {
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly pane: string;
  private readonly drawView: Draw;
  private readonly watch: () => void;
  private drawn: { readonly view: View; readonly center: L.LatLng } | null = null;
  private request = 0;
  private unfollow: (() => void) | undefined;

  /**
   * @param drawView draws a view of the world onto the canvas, which has its size
   * @param watch reads the signals by which it is drawn anew
   */
  constructor(pane: string, drawView: Draw, watch: () => void) {
    super();
    this.pane = pane;
    this.drawView = drawView;
    this.watch = watch;
    this.canvas.className = "leaflet-zoom-animated";
    this.canvas.setAttribute("aria-hidden", "true");
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("This browser draws no canvas");
    this.context = context;
  }

  override getEvents(): { [name: string]: L.LeafletEventHandlerFn } {
    return {
      move: () => this.followMove(),
      moveend: () => this.redraw(),
      resize: () => this.redraw(),
      zoomanim: (event) => {
        const { zoom, center } = event as L.ZoomAnimEvent;
        this.place(zoom, center);
      },
      zoom: () => this.place(this._map.getZoom(), this._map.getCenter()),
    };
  }

  override onAdd(map: L.Map): this {
    map.getPane(this.pane)?.append(this.canvas);
    this.unfollow?.();
    this.unfollow = effect(() => {
      theme.value;
      this.watch();
      this.redraw();
    });
    return this;
  }

  override onRemove(): this {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.unfollow?.();
    this.canvas.remove();
    return this;
  }

  /** Draws before the next frame. */
  redraw(): void {
    if (this.request !== 0 || !this._map) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      this.drawNow();
    });
  }

  private followMove(): void {
    const map = this._map;
    if (!this.drawn || map.getZoom() !== this.drawn.view.zoom) return;
    const { view } = this.drawn;
    const now = map.getPixelBounds();
    const size = map.getSize();
    const [x, y] = [size.x * LEFT, size.y * LEFT];
    const min = now.min ?? L.point(0, 0);
    const isInside =
      min.x - view.left >= x &&
      min.y - view.top >= y &&
      view.left + view.width - (min.x + size.x) >= x &&
      view.top + view.height - (min.y + size.y) >= y;
    if (!isInside) this.redraw();
  }

  private drawNow(): void {
    const map = this._map;
    const size = map.getSize();
    if (size.x === 0 || size.y === 0) return;
    const beyond = size.multiplyBy(BEYOND).round();
    const min = (map.getPixelBounds().min ?? L.point(0, 0)).subtract(beyond);
    const ratio = Math.min(MAX_RATIO, globalThis.devicePixelRatio || 1);
    const view: View = {
      left: min.x,
      top: min.y,
      width: size.x + 2 * beyond.x,
      height: size.y + 2 * beyond.y,
      zoom: map.getZoom(),
      ratio,
    };
    const { canvas } = this;
    const [width, height] = [Math.ceil(view.width * ratio), Math.ceil(view.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${view.width}px`;
      canvas.style.height = `${view.height}px`;
    }
    this.drawView(view, this.context);
    this.drawn = { view, center: map.getCenter() };
    this.place(view.zoom, this.drawn.center);
  }

  /** Moves and scales what was drawn to where it belongs when the map shows `center` at `zoom`. */
  private place(zoom: number, center: L.LatLng): void {
    if (!this.drawn) return;
    const map = this._map;
    const { view } = this.drawn;
    const scale = map.getZoomScale(zoom, view.zoom);
    const pane = L.DomUtil.getPosition(map.getPanes().mapPane);
    const origin = map.project(center, zoom).subtract(map.getSize().divideBy(2)).add(pane).round();
    const corner = L.point(view.left, view.top).multiplyBy(scale).subtract(origin);
    L.DomUtil.setTransform(this.canvas, corner, scale);
  }
}
