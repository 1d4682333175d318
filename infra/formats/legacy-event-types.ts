import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/enumerations.ts";

/** Names outside QuakeML by their QuakeML type; "other event" as in the agencies' own QuakeML. */
const LEGACY_NAMES: Readonly<Record<string, readonly string[]>> = {
  earthquake: ["eq", "quake", "ke", "se", "fe", "de", "volcano-tectonic"],
  "quarry blast": ["quarry", "quarryblast"],
  "nuclear explosion": ["nuke", "nuclear", "kn", "sn"],
  "mining explosion": ["shot", "mine explosion", "mining blast", "km", "sm"],
  "chemical explosion": ["chemical", "chemical blast", "kh", "sh"],
  "experimental explosion": ["kx", "sx"],
  explosion: ["ex", "blast", "bomb detonation", "artillery strike"],
  landslide: ["rockfall", "rock fall", "submarine landslide", "ls"],
  "rock burst": ["rockburst", "kr", "sr"],
  "sonic boom": ["sonicboom"],
  "ice quake": ["icequake", "calving", "frost quake"],
  "induced or triggered event": [
    "induced",
    "induced earthquake",
    "induced event",
    "triggered event",
    "ki",
    "si",
  ],
  meteorite: ["meteor", "meteor impact", "atmospheric meteor explosion"],
  "volcanic eruption": ["eruption"],
  "anthropogenic event": ["anthropogenic"],
  "not existing": ["does not exist", "nonexistent"],
  "other event": [
    "other",
    "not locatable",
    "duplicate",
    "outside of network interest",
    "lahar",
    "pyroclastic flow",
    "tremor pulse",
    "moving aircraft",
    "rocket",
    "rocket launch",
    "rocket impact",
  ],
};

const QUAKEML_TYPES: ReadonlyMap<string, string> = new Map(
  QUAKEML_EVENT_TYPES.map((type) => [type.toLowerCase(), type]),
);

const TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LEGACY_NAMES).flatMap(([type, names]) =>
    names.map((name): [string, string] => [name, type]),
  ),
  ...QUAKEML_TYPES,
]);

/**
 * The QuakeML 1.2 event type for a name used by USGS, SeisComP, GeoNet or the IMS; null without one,
 * also for the IMS's `uk` (unknown). Case is ignored, underscores count as spaces. Names that begin
 * with "volcanic" are "other event", except the eruption.
 */
export function mapEventType(text: string): string | null {
  const name = spacedName(text);
  const type = TYPES.get(name);
  if (type !== undefined) return type;
  return name.startsWith("volcanic ") ? "other event" : null;
}

/** The name as enumerations spell it: lower case, with blanks for underscores. */
export function spacedName(text: string): string {
  return text.trim().replaceAll("_", " ").toLowerCase();
}
