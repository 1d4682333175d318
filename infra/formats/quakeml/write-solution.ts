import { shiftDecimal } from "../decimal-number.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import { nativeText, type OwnOutput, own } from "./own-output.ts";
import { quantity, simple, wrapped } from "./shared/xml-text.ts";
import type { ExtraXml } from "./write-extra.ts";

const KILOMETRES_TO_METRES = 3;

/** The origin of an event; what has no place in it is added to `output`. */
export function writeOrigin(
  row: ExportRow,
  originId: string,
  extra: ExtraXml,
  output: OwnOutput,
): string {
  const agency = nativeText(row, "agency_id", output);
  const author = nativeText(row, "author", output);
  return (
    `<origin publicID="${originId}">` +
    quantity("time", row[FIELD.time], row[FIELD.time_uncertainty]) +
    quantity("latitude", row[FIELD.latitude], row[FIELD.latitude_uncertainty]) +
    quantity("longitude", row[FIELD.longitude], row[FIELD.longitude_uncertainty]) +
    writeDepth(row, output) +
    simple("depthType", row[FIELD.depth_type]) +
    extra.origin +
    wrapped("quality", writeQuality(row)) +
    (extra.uncertainty || writeCircle(row)) +
    simple("evaluationMode", row[FIELD.evaluation_mode]) +
    simple("evaluationStatus", row[FIELD.evaluation_status]) +
    wrapped("creationInfo", simple("agencyID", agency || null) + simple("author", author || null)) +
    "</origin>"
  );
}

/** Readers expect no uncertainty without a depth: it goes into our own element. */
function writeDepth(row: ExportRow, output: OwnOutput): string {
  const depth = metres(row[FIELD.depth]);
  if (depth !== null) return quantity("depth", depth, metres(row[FIELD.depth_uncertainty]));
  own(output, "depth_uncertainty", row[FIELD.depth_uncertainty]);
  return "";
}

function writeCircle(row: ExportRow): string {
  const radius = metres(row[FIELD.horizontal_uncertainty]);
  if (radius === null) return "";
  return `<originUncertainty><horizontalUncertainty>${radius}</horizontalUncertainty><preferredDescription>horizontal uncertainty</preferredDescription></originUncertainty>`;
}

function writeQuality(row: ExportRow): string {
  return (
    simple("usedPhaseCount", row[FIELD.used_phase_count]) +
    simple("usedStationCount", row[FIELD.used_station_count]) +
    simple("standardError", row[FIELD.standard_error]) +
    simple("azimuthalGap", row[FIELD.azimuthal_gap]) +
    simple("minimumDistance", row[FIELD.minimum_distance])
  );
}

/**
 * The magnitude of an event, "" without one; what has no place in it is added to `output`.
 * @param originId null for an origin that is not written
 */
export function writeMagnitude(
  row: ExportRow,
  magnitudeId: string,
  originId: string | null,
  extra: ExtraXml,
  output: OwnOutput,
): string {
  const value = row[FIELD.magnitude] ?? null;
  if (value === null) {
    const type = row[FIELD.magnitude_type] ?? null;
    own(output, "magnitude_type", type === null ? null : JSON.stringify(type));
    own(output, "magnitude_uncertainty", row[FIELD.magnitude_uncertainty]);
    own(output, "magnitude_station_count", row[FIELD.magnitude_station_count]);
    return "";
  }
  const type = nativeText(row, "magnitude_type", output);
  return (
    `<magnitude publicID="${magnitudeId}">` +
    quantity("mag", value, row[FIELD.magnitude_uncertainty]) +
    simple("type", type || null) +
    simple("originID", originId) +
    simple("stationCount", row[FIELD.magnitude_station_count]) +
    `${extra.magnitude}</magnitude>`
  );
}

function metres(kilometres: string | null | undefined): string | null {
  return kilometres === null || kilometres === undefined
    ? null
    : shiftDecimal(kilometres, KILOMETRES_TO_METRES);
}
