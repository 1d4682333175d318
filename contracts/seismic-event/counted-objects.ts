/** The objects of bulletins that are counted, by the names that API, filters and tables have for them. */
export const COUNTED_OBJECTS = [
  "origins",
  "magnitudes",
  "station_magnitudes",
  "amplitudes",
  "picks",
  "arrivals",
  "focal_mechanisms",
] as const;
