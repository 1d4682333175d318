/** What a map shows: degrees, and Leaflet's zoom. */
export type MapView = {
  readonly zoom: number;
  readonly latitude: number;
  readonly longitude: number;
};
