type Known = number | null | undefined;

/** " ± 0.2 s"; empty where it is not known. The number as it is stored. */
export function margin(value: Known, unit = ""): string {
  if (value === null || value === undefined) return "";
  return ` ± ${value}${unit === "" || unit === "°" ? unit : ` ${unit}`}`;
}

type Place = {
  readonly horizontal_uncertainty?: Known;
  readonly latitude_uncertainty?: Known;
  readonly longitude_uncertainty?: Known;
};

/** How well a place is known: as a distance, else by latitude and longitude. */
export function placeMargin(place: Place): string {
  const { horizontal_uncertainty, latitude_uncertainty, longitude_uncertainty } = place;
  if (typeof horizontal_uncertainty === "number") return margin(horizontal_uncertainty, "km");
  const [north, east] = [margin(latitude_uncertainty, "°"), margin(longitude_uncertainty, "°")];
  return north && east ? `${north} N–S,${east} E–W` : "";
}
