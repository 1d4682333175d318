import { methodOfConverted } from "#contracts/seismic-event/converted-from.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { exactJson } from "../../json/exact-json.ts";
import { decimalNumber } from "../decimal-number.ts";
import { isResourceId } from "./shared/event-ids.ts";
import {
  ANY_MEMBER,
  MAGNITUDE_AGENCY,
  MAGNITUDE_METHOD,
  ORIGIN_FLAGS,
  ORIGIN_IDS,
  UNCERTAINTY,
} from "./shared/extra-members.ts";
import { isPlainCircle, ORIGIN_UNCERTAINTY, radiusOf } from "./shared/origin-uncertainty.ts";
import { escapeXml, isExact, simple, wrapped } from "./shared/xml-text.ts";
import { writeStructure } from "./write-mechanism.ts";

/** Elements for the members of an origin and its magnitude that `extra` holds. */
export type ExtraXml = {
  /** Members of the origin. */
  readonly origin: string;
  /** The originUncertainty; "" when the attribute contains all of it. */
  readonly uncertainty: string;
  /** Members of the magnitude. */
  readonly magnitude: string;
  /** The rest of `extra` as JSON text; null when nothing is left. */
  readonly rest: string | null;
};

const METRES_TO_KILOMETRES = -3;
const LONGEST_AGENCY = 64;

/**
 * Puts members that the reader kept under `extra` back in their places. Members that the schema
 * would refuse there, or that would be read differently, stay in the rest.
 * @param extra JSON text
 * @param kilometres `horizontal_uncertainty`
 */
export function writeExtra(
  extra: string | null,
  kilometres: string | null,
  hasMagnitude: boolean,
): ExtraXml {
  if (extra === null || !ANY_MEMBER.test(extra)) {
    return { origin: "", uncertainty: "", magnitude: "", rest: extra };
  }
  const values = JSON.parse(extra) as JsonObject;
  const rest: JsonObject = { ...values };
  const place = (name: string, xml: string): string => {
    if (xml !== "") delete rest[name];
    return xml;
  };

  let origin = "";
  for (const [name, member] of Object.entries(ORIGIN_FLAGS)) {
    const flag = values[name];
    if (typeof flag === "boolean") origin += place(name, simple(member, String(flag)));
  }
  for (const [name, member] of Object.entries(ORIGIN_IDS)) {
    origin += place(name, idElement(member, values[name]));
  }
  const uncertainty = place(UNCERTAINTY, uncertaintyElement(values[UNCERTAINTY], kilometres));
  let magnitude = "";
  if (hasMagnitude) {
    const own = place(MAGNITUDE_METHOD, idElement("methodID", values[MAGNITUDE_METHOD]));
    const made = methodOfConverted(values);
    magnitude += own === "" && made !== null ? simple("methodID", escapeXml(made)) : own;
    magnitude += place(MAGNITUDE_AGENCY, agencyElement(values[MAGNITUDE_AGENCY]));
  }
  const isNothingLeft = Object.keys(rest).length === 0;
  return { origin, uncertainty, magnitude, rest: isNothingLeft ? null : exactJson(rest) };
}

function idElement(member: string, id: unknown): string {
  return isResourceId(id) ? simple(member, escapeXml(id)) : "";
}

function agencyElement(agency: unknown): string {
  if (typeof agency !== "string" || agency.length > LONGEST_AGENCY || !isExact(agency)) return "";
  return wrapped("creationInfo", simple("agencyID", escapeXml(agency)));
}

function uncertaintyElement(uncertainty: unknown, kilometres: string | null): string {
  if (!isJsonObject(uncertainty)) return "";
  if (Object.keys(uncertainty).length === 0 || isPlainCircle(uncertainty)) return "";
  const radius = radiusOf(uncertainty);
  const ofRadius =
    radius === undefined ? null : decimalNumber(String(radius), METRES_TO_KILOMETRES);
  // The attribute was edited since, or belongs to another solution.
  if (ofRadius !== (kilometres === null ? null : Number(kilometres))) return "";
  const { xml, exact } = writeStructure("originUncertainty", uncertainty, ORIGIN_UNCERTAINTY, null);
  return exact ? xml : "";
}
