import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/enumerations.ts";

/**
 * Names of event types in use beside QuakeML's own, by what QuakeML calls them. Where QuakeML has no
 * word, "other event" is what the agencies' own QuakeML says (domain notes §1.6 and §2.2).
 */
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
 * The QuakeML 1.2 event type that a name of USGS, SeisComP, GeoNet or the IMS stands for, or null
 * when it stands for none (the IMS's `uk`, unknown, too). Case does not matter, underscores are
 * spaces. Names that begin with "volcanic" are "other event", the eruption excepted.
 */
export function mapEventType(text: string): string | null {
  const name = text.trim().replaceAll("_", " ").toLowerCase();
  const type = TYPES.get(name);
  if (type !== undefined) return type;
  return name.startsWith("volcanic ") ? "other event" : null;
}
