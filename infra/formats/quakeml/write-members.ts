import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { exactJson } from "../../json/exact-json.ts";
import { FACADE_FIELD, withPaddedTime } from "../facade-row.ts";
import { EXPORT_FIELDS, type ExportRow, FIELD } from "../format-writer.ts";
import { markup, XmlBytes } from "./shared/xml-bytes.ts";
import { writeExtra } from "./write-extra.ts";
import { addMagnitude, addOrigin } from "./write-solution.ts";

/** Which solutions of a merged event's members stand beside its own. */
export type MemberParts = { readonly allOrigins: boolean; readonly allMagnitudes: boolean };

export const NO_MEMBERS: MemberParts = { allOrigins: false, allMagnitudes: false };

type Member = Omit<SeismicEvent, "source_events">;
type Solutions = { readonly origins: string; readonly magnitudes: string };

const NONE: Solutions = { origins: "", magnitudes: "" };

/**
 * The origins and magnitudes of the members of a merged event (`members` of its row). What the event has
 * from a member unchanged is not repeated.
 * @param eventId of the event itself, 32 digits
 */
export function writeMembers(row: ExportRow, eventId: Uint8Array, parts: MemberParts): Solutions {
  const json = row[FACADE_FIELD.members] ?? null;
  if (json === null || !(parts.allOrigins || parts.allMagnitudes)) return NONE;
  const origins = new XmlBytes();
  const magnitudes = new XmlBytes();
  for (const member of JSON.parse(json) as Member[]) {
    const solution = withPaddedTime(rowOf(member));
    const id = markup(compactEventId(member.id));
    const isOwnOrigin = hasOrigin(row, member);
    const extra = solution[FIELD.extra] ?? null;
    const radius = solution[FIELD.horizontal_uncertainty] ?? null;
    const extraXml = writeExtra(extra, radius, member.magnitude !== null);
    // Only the event itself has an element for what QuakeML cannot say.
    const unsaid = { own: "" };
    if (parts.allOrigins && !isOwnOrigin) {
      addOrigin(origins, solution, id, extraXml, unsaid);
    }
    if (parts.allMagnitudes && !hasMagnitude(row, member)) {
      const isThere = isOwnOrigin || parts.allOrigins;
      const originId = isThere ? (isOwnOrigin ? eventId : id) : null;
      addMagnitude(magnitudes, solution, { id, originId }, extraXml, unsaid);
    }
  }
  return { origins: origins.take(), magnitudes: magnitudes.take() };
}

function hasOrigin(row: ExportRow, member: Member): boolean {
  return (
    compareTimes(row[FIELD.time] ?? "", member.time) === 0 &&
    isNumber(row[FIELD.latitude], member.latitude) &&
    isNumber(row[FIELD.longitude], member.longitude) &&
    isNumber(row[FIELD.depth], member.depth)
  );
}

function hasMagnitude(row: ExportRow, member: Member): boolean {
  return (
    isNumber(row[FIELD.magnitude], member.magnitude) &&
    (row[FIELD.magnitude_type] ?? null) === member.magnitude_type
  );
}

function isNumber(text: string | null | undefined, value: number | null): boolean {
  return value === null || (text ?? null) === null
    ? value === (text ?? null)
    : Number(text) === value;
}

function rowOf(member: Member): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = name === "source_events" ? null : member[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? exactJson(value) : String(value);
  });
}
