import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import { shiftDecimal } from "../decimal-number.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import { nativeText, type OwnOutput, own } from "./own-output.ts";
import {
  addMarkup,
  addQuantity,
  addSimple,
  addWrapped,
  markup,
  quantityOf,
  type Tags,
  tagsOf,
  type XmlBytes,
} from "./shared/xml-bytes.ts";
import type { ExtraXml } from "./write-extra.ts";

/** Before the id of an event, whose solutions are these. */
export const ORIGIN_ID_PATH = `${OWN_AUTHORITY}origin/`;
export const MAGNITUDE_ID_PATH = `${OWN_AUTHORITY}magnitude/`;

const KILOMETRES_TO_METRES = 3;

const ORIGIN: Tags = [markup(`<origin publicID="${ORIGIN_ID_PATH}`), markup('">')];
const END_OF_ORIGIN = markup("</origin>");
const TIME = quantityOf("time");
const LATITUDE = quantityOf("latitude");
const LONGITUDE = quantityOf("longitude");
const DEPTH = quantityOf("depth");
const DEPTH_TYPE = tagsOf("depthType");
const QUALITY = tagsOf("quality");
const USED_PHASE_COUNT = tagsOf("usedPhaseCount");
const USED_STATION_COUNT = tagsOf("usedStationCount");
const STANDARD_ERROR = tagsOf("standardError");
const AZIMUTHAL_GAP = tagsOf("azimuthalGap");
const MINIMUM_DISTANCE = tagsOf("minimumDistance");
const EVALUATION_MODE = tagsOf("evaluationMode");
const EVALUATION_STATUS = tagsOf("evaluationStatus");
const CREATION_INFO = tagsOf("creationInfo");
const AGENCY = tagsOf("agencyID");
const AUTHOR = tagsOf("author");
const CIRCLE: Tags = [
  markup("<originUncertainty><horizontalUncertainty>"),
  markup(
    "</horizontalUncertainty><preferredDescription>horizontal uncertainty</preferredDescription></originUncertainty>",
  ),
];
const MAGNITUDE: Tags = [markup(`<magnitude publicID="${MAGNITUDE_ID_PATH}`), markup('">')];
const END_OF_MAGNITUDE = markup("</magnitude>");
const MAG = quantityOf("mag");
const TYPE = tagsOf("type");
const ORIGIN_ID = tagsOf("originID", ORIGIN_ID_PATH);
const STATION_COUNT = tagsOf("stationCount");

/**
 * Adds the origin of an event; what has no place in it is added to `output`.
 * @param id of the event, 32 digits
 */
export function addOrigin(
  out: XmlBytes,
  row: ExportRow,
  id: Uint8Array,
  extra: ExtraXml,
  output: OwnOutput,
): void {
  const agency = nativeText(row, "agency_id", output);
  const author = nativeText(row, "author", output);
  addMarkup(out, ORIGIN, id);
  addQuantity(out, TIME, row[FIELD.time], row[FIELD.time_uncertainty]);
  addQuantity(out, LATITUDE, row[FIELD.latitude], row[FIELD.latitude_uncertainty]);
  addQuantity(out, LONGITUDE, row[FIELD.longitude], row[FIELD.longitude_uncertainty]);
  addDepth(out, row, output);
  addSimple(out, DEPTH_TYPE, row[FIELD.depth_type]);
  out.text(extra.origin);
  addWrapped(out, QUALITY, () => addQuality(out, row));
  if (extra.uncertainty === "") addCircle(out, row);
  else out.text(extra.uncertainty);
  addSimple(out, EVALUATION_MODE, row[FIELD.evaluation_mode]);
  addSimple(out, EVALUATION_STATUS, row[FIELD.evaluation_status]);
  addWrapped(out, CREATION_INFO, () => {
    addSimple(out, AGENCY, agency || null);
    addSimple(out, AUTHOR, author || null);
  });
  out.markup(END_OF_ORIGIN);
}

/** Readers expect no uncertainty without a depth: it goes into our own element. */
function addDepth(out: XmlBytes, row: ExportRow, output: OwnOutput): void {
  const depth = metres(row[FIELD.depth]);
  if (depth !== null) addQuantity(out, DEPTH, depth, metres(row[FIELD.depth_uncertainty]));
  else own(output, "depth_uncertainty", row[FIELD.depth_uncertainty]);
}

function addCircle(out: XmlBytes, row: ExportRow): void {
  addSimple(out, CIRCLE, metres(row[FIELD.horizontal_uncertainty]));
}

function addQuality(out: XmlBytes, row: ExportRow): void {
  addSimple(out, USED_PHASE_COUNT, row[FIELD.used_phase_count]);
  addSimple(out, USED_STATION_COUNT, row[FIELD.used_station_count]);
  addSimple(out, STANDARD_ERROR, row[FIELD.standard_error]);
  addSimple(out, AZIMUTHAL_GAP, row[FIELD.azimuthal_gap]);
  addSimple(out, MINIMUM_DISTANCE, row[FIELD.minimum_distance]);
}

export function hasMagnitude(row: ExportRow): boolean {
  return (row[FIELD.magnitude] ?? null) !== null;
}

/**
 * Adds the magnitude of an event, nothing without one; what has no place in it is added to `output`.
 * @param originId the id of the event whose origin it is of; null for an origin that is not written
 */
export function addMagnitude(
  out: XmlBytes,
  row: ExportRow,
  { id, originId }: { readonly id: Uint8Array; readonly originId: Uint8Array | null },
  extra: ExtraXml,
  output: OwnOutput,
): void {
  if (!hasMagnitude(row)) {
    const type = row[FIELD.magnitude_type] ?? null;
    own(output, "magnitude_type", type === null ? null : JSON.stringify(type));
    own(output, "magnitude_uncertainty", row[FIELD.magnitude_uncertainty]);
    own(output, "magnitude_station_count", row[FIELD.magnitude_station_count]);
    return;
  }
  const type = nativeText(row, "magnitude_type", output);
  addMarkup(out, MAGNITUDE, id);
  addQuantity(out, MAG, row[FIELD.magnitude], row[FIELD.magnitude_uncertainty]);
  addSimple(out, TYPE, type || null);
  if (originId !== null) addMarkup(out, ORIGIN_ID, originId);
  addSimple(out, STATION_COUNT, row[FIELD.magnitude_station_count]);
  out.text(extra.magnitude);
  out.markup(END_OF_MAGNITUDE);
}

function metres(kilometres: string | null | undefined): string | null {
  return kilometres === null || kilometres === undefined
    ? null
    : shiftDecimal(kilometres, KILOMETRES_TO_METRES);
}
