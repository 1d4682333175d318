import { element, FOREIGN_TEXT, repeated, TEXT, texts, type XmlShape } from "../xml/xml-shape.ts";
import { OWN_ELEMENT } from "./event-ids.ts";
import { ORIGIN_FLAGS, ORIGIN_IDS } from "./extra-members.ts";
import { FOCAL_MECHANISM, type MechanismShape, type MemberKind } from "./mechanism-shape.ts";
import { ORIGIN_UNCERTAINTY } from "./origin-uncertainty.ts";

const QUANTITY = element(texts("value", "uncertainty"));
const CREATION_INFO = element(texts("agencyID", "author", "creationTime", "version"));

const QUALITY = element(
  texts("usedPhaseCount", "usedStationCount", "standardError", "azimuthalGap", "minimumDistance"),
);

const MAGNITUDE = repeated(
  element(
    {
      mag: QUANTITY,
      ...texts("type", "originID", "stationCount", "methodID"),
      creationInfo: element(texts("agencyID")),
    },
    ["publicID"],
  ),
);

const ORIGIN = repeated(
  element(
    {
      time: QUANTITY,
      latitude: QUANTITY,
      longitude: QUANTITY,
      depth: QUANTITY,
      quality: QUALITY,
      originUncertainty: mechanismElement(ORIGIN_UNCERTAINTY),
      creationInfo: CREATION_INFO,
      ...texts("depthType", "type", "region", "evaluationMode", "evaluationStatus"),
      ...texts(...Object.values(ORIGIN_FLAGS), ...Object.values(ORIGIN_IDS)),
      // In the real-time variant, as in SC3ML, an origin's magnitudes are inside it.
      magnitude: MAGNITUDE,
    },
    ["publicID"],
  ),
);

const MECHANISM = repeated(mechanismElement(FOCAL_MECHANISM));

/** In the real-time variant an event refers to origins and mechanisms outside it. */
const EVENT = repeated(
  element(
    {
      ...texts("type", "typeCertainty"),
      ...texts("preferredOriginID", "preferredMagnitudeID", "preferredFocalMechanismID"),
      description: repeated(element(texts("text", "type"))),
      creationInfo: CREATION_INFO,
      origin: ORIGIN,
      magnitude: MAGNITUDE,
      focalMechanism: MECHANISM,
      originReference: repeated(element(texts("originID"))),
      focalMechanismReference: repeated(element(texts("focalMechanismID"))),
      [OWN_ELEMENT]: FOREIGN_TEXT,
    },
    ["publicID", "eventid", "eventsource"],
  ),
);

/** Streamed: each child is emitted when complete, and children are never held together. */
export const EVENT_PARAMETERS = element({
  event: EVENT,
  origin: ORIGIN,
  magnitude: MAGNITUDE,
  focalMechanism: MECHANISM,
});

/** The two possible root elements. */
export const DOCUMENT = element({
  quakeml: element({ eventParameters: EVENT_PARAMETERS }),
  eventParameters: EVENT_PARAMETERS,
});

function mechanismElement(shape: MechanismShape): XmlShape {
  const children: Record<string, XmlShape> = {};
  const attributes: string[] = [];
  for (const [member, kind] of Object.entries(shape)) {
    if (kind === "attribute" || kind === "publicID") attributes.push(member);
    else children[member] = memberElement(kind);
  }
  return element(children, attributes);
}

function memberElement(kind: MemberKind): XmlShape {
  if (kind === "quantity") return element(texts("value"));
  if (typeof kind === "string" || "values" in kind || "maxLength" in kind) return TEXT;
  return "members" in kind ? mechanismElement(kind.members) : repeated(mechanismElement(kind.list));
}
