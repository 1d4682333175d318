import L from "leaflet";
import { nearestTurn } from "../model/bounds.ts";

type Place = { readonly latitude: number; readonly longitude: number };

/** From one place to another, the short way around the world. */
export type Line = readonly [from: Place, to: Place];

/** Straight lines between places, for example of two solutions of one earthquake. */
export class LineLayer {
  private readonly drawn = L.polyline([], { className: "map-line", interactive: false });
  private readonly map: L.Map;
  private lines: readonly Line[] = [];

  constructor(map: L.Map) {
    this.map = map;
    this.drawn.addTo(map);
    map.on("moveend", () => this.draw());
  }

  setLines(lines: readonly Line[]): void {
    this.lines = lines;
    this.draw();
  }

  /** In the copy of the world that is in view. */
  private draw(): void {
    const { lng } = this.map.getCenter();
    this.drawn.setLatLngs(
      this.lines.map(([from, to]) => {
        const start = nearestTurn(from.longitude, lng);
        return [
          L.latLng(from.latitude, start),
          L.latLng(to.latitude, nearestTurn(to.longitude, start)),
        ];
      }),
    );
  }
}
