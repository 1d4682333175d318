/** Measures of how well an event is known. */
export const QUALITY_COLUMNS = [
  "azimuthal_gap",
  "standard_error",
  "used_station_count",
  "magnitude_uncertainty",
] as const;
