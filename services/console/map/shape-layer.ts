import L from "leaflet";
import { nearestTurn } from "../model/bounds.ts";
import type { Place } from "../model/great-circle.ts";

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
