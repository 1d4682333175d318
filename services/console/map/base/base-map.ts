import L from "leaflet";
import type { GROUND } from "../../drawing/colours.ts";
import { labelGraticule } from "./graticule-labels.ts";
import { FINE_FROM_ZOOM, groundFiles } from "./ground-files.ts";
import { GroundLayer } from "./ground-layer.ts";

const CREDIT = "Land: Natural Earth, places: GeoNames (CC BY)";

/** A Leaflet map with what lies under the events, as detailed as its zoom shows, and its credit. */
export class BaseMap {
  private readonly layer = new GroundLayer();
  readonly map: L.Map;
  /** What is there or comes; null before the first, and when the map is closed. */
  private isFine: boolean | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    element: HTMLElement,
    options: L.MapOptions & Required<Pick<L.MapOptions, "center" | "zoom">>,
  ) {
    const map = L.map(element, { zoomControl: false, attributionControl: false, ...options });
    this.map = map;
    this.layer.addTo(map);
    L.control.attribution({ prefix: false }).addTo(map).addAttribution(CREDIT);
    labelGraticule(map);
    map.on("zoomend", () => this.follow());
    map.on("unload", () => {
      clearTimeout(this.timer);
      this.isFine = null;
    });
    this.follow();
  }

  setTheme(theme: keyof typeof GROUND): void {
    this.layer.setTheme(theme);
  }

  /** Later: a map is first made, and then shown what it shall show. */
  private follow(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load());
  }

  private async load(): Promise<void> {
    const isFine = this.map.getZoom() >= FINE_FROM_ZOOM;
    if (isFine === this.isFine) return;
    this.isFine = isFine;
    for (const file of groundFiles(isFine)) {
      // A map without its ground still shows its events.
      const part = await file().catch(() => null);
      if (this.isFine !== isFine) return;
      if (part) this.layer.setGround(part);
    }
  }
}
