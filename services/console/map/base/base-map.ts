import L from "leaflet";
import { labelGraticule } from "./graticule-labels.ts";
import {
  groundFiles,
  RELIEF_UP_TO_ZOOM,
  readGround,
  readPlaces,
  readPlates,
  readRelief,
  WORLD_GROUND,
} from "./ground-files.ts";
import { GroundLayer } from "./ground-layer.ts";
import { boundsIn } from "./map-reading.ts";
import { NAMES_PANE, NamesLayer } from "./names-layer.ts";
import type { Theme } from "./relief.ts";

const CREDIT = "Natural Earth · NOAA · plates: Argus et al. 2011 · places: GeoNames (CC BY)";

/** A Leaflet map with what lies under the events, as detailed as its zoom shows, and its credit. */
export class BaseMap {
  private readonly ground = new GroundLayer();
  private readonly names = new NamesLayer();
  readonly map: L.Map;
  /** Files of the ground that are shown or come; empty before the first, null when the map is closed. */
  private wanted: readonly string[] | null = [];
  private hasPlates = false;
  private hasRelief = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    element: HTMLElement,
    options: L.MapOptions & Required<Pick<L.MapOptions, "center" | "zoom">>,
    hasDegrees = true,
  ) {
    const map = L.map(element, { zoomControl: false, attributionControl: false, ...options });
    this.map = map;
    map.createPane(NAMES_PANE);
    this.ground.addTo(map);
    this.names.addTo(map);
    L.control.attribution({ prefix: false }).addTo(map).addAttribution(CREDIT);
    if (hasDegrees) labelGraticule(map);
    map.on("zoomend moveend", () => this.follow());
    map.on("unload", () => {
      clearTimeout(this.timer);
      this.wanted = null;
    });
    this.follow();
  }

  setTheme(theme: Theme): void {
    this.ground.setTheme(theme);
    this.names.setTheme(theme);
  }

  /** Whether the events hide the ground, so that its coasts are drawn above them. */
  setHidden(isHidden: boolean): void {
    this.names.showCoasts(isHidden);
  }

  /** Later: a map is first made, and then shown what it shall show. */
  private follow(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load());
  }

  /** Fetches what is missed, in the order in which a reader of the map misses it. */
  private async load(): Promise<void> {
    if (this.wanted === null) return;
    const files = groundFiles(this.map.getZoom(), boundsIn(this.map));
    const isFirst = this.wanted.length === 0;
    if (files.join() !== this.wanted.join()) {
      this.wanted = files;
      const isCurrent = () => this.wanted === files;
      // A map without its ground still shows its events.
      if (isFirst) await this.show(WORLD_GROUND, isCurrent).catch(() => undefined);
      if (isCurrent()) await this.show(files, isCurrent).catch(() => undefined);
      if (!isCurrent()) return;
    }
    await this.showFurther().catch(() => undefined);
  }

  private async show(files: readonly string[], isCurrent: () => boolean): Promise<void> {
    const parts = await Promise.all(files.map(readGround));
    if (!isCurrent()) return;
    this.ground.setGround({ parts });
    this.names.setCoasts(parts.map(({ land }) => land));
    const places = await readPlaces();
    if (isCurrent()) this.names.setPlaces([places, ...parts.map((part) => part.places)]);
  }

  /** Once: what is no part of the first picture. */
  private async showFurther(): Promise<void> {
    if (!this.hasPlates) {
      this.hasPlates = true;
      this.ground.setGround({ plates: await readPlates() });
    }
    if (!this.hasRelief && this.map.getZoom() < RELIEF_UP_TO_ZOOM) {
      this.hasRelief = true;
      this.ground.setGround({ relief: await readRelief() });
    }
  }
}
