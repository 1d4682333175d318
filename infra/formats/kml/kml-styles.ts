/** USGS's depth classes, up to and including `maxKm`. Colours are `aabbggrr`, warm above. */
const DEPTH_CLASSES = [
  { name: "35", maxKm: 35, colour: "ff0000ff" },
  { name: "70", maxKm: 70, colour: "ff0080ff" },
  { name: "150", maxKm: 150, colour: "ff00ffff" },
  { name: "300", maxKm: 300, colour: "ff00ff00" },
  { name: "500", maxKm: 500, colour: "ffff8000" },
  { name: "deeper", maxKm: Number.POSITIVE_INFINITY, colour: "ffff0000" },
] as const;

const UNKNOWN_DEPTH = { name: "unknown", colour: "ffc0c0c0" } as const;

const MAX_SIZE = 8;
const SMALLEST_ICON = 0.3;
const ICON_PER_MAGNITUDE = 0.2;
const ICON = "http://maps.google.com/mapfiles/kml/shapes/shaded_dot.png";

/** All styles that `styleUrl` refers to: a colour per depth class, a size per whole magnitude. */
export function kmlStyles(): string {
  let text = "";
  for (const { name, colour } of [...DEPTH_CLASSES, UNKNOWN_DEPTH]) {
    for (let size = 0; size <= MAX_SIZE; size++) {
      const scale = (SMALLEST_ICON + ICON_PER_MAGNITUDE * size).toFixed(1);
      text +=
        `<Style id="depth-${name}-size-${size}"><IconStyle><color>${colour}</color>` +
        `<scale>${scale}</scale><Icon><href>${ICON}</href></Icon></IconStyle>` +
        "<LabelStyle><scale>0</scale></LabelStyle></Style>\n";
    }
  }
  return text;
}

/** The style for a depth in kilometres and a magnitude, as decimal texts or null. */
export function styleUrl(depth: string | null, magnitude: string | null): string {
  const size =
    magnitude === null ? 0 : Math.min(MAX_SIZE, Math.max(0, Math.floor(Number(magnitude))));
  return `#depth-${depthClass(depth)}-size-${size}`;
}

function depthClass(depth: string | null): string {
  if (depth === null) return UNKNOWN_DEPTH.name;
  const km = Number(depth);
  return DEPTH_CLASSES.find(({ maxKm }) => km <= maxKm)?.name ?? UNKNOWN_DEPTH.name;
}
