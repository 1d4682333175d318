import { bulletinFault } from "#contracts/bulletin/check.ts";
import type { Bulletin, Kind, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { movePoint } from "#contracts/seismic-event/names.ts";
import { bareId, idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { magnitudeTypeOfName } from "#contracts/seismic-event/written-numbers.ts";
import { KILOMETRES_TO_METRES } from "#contracts/units.ts";
import { present, serviceId } from "#infra/formats/bulletin/members.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { Joined, JoinedRow } from "#services/domain/bulletins/join.ts";
import type { FieldError } from "#services/domain/events/validation/event-draft.ts";
import { createPartReader } from "#services/domain/events/validation/validate-event.ts";
import {
  type Cells,
  cellsOf,
  EVENT_COLUMNS,
  mechanismOfColumns,
  picksOfColumns,
  type SaidPick,
} from "./row-columns.ts";

/** A row that says something of an event, or what is wrong with it. */
export type ReadRow =
  | { readonly ok: true; readonly id: string; readonly joined: Joined }
  | { readonly ok: false; readonly id?: string; readonly errors: readonly FieldError[] };

type Magnitude = QuakemlObject<"Magnitude">;
type Origin = QuakemlObject<"Origin">;
type Content<T extends { readonly publicID: string }> = Omit<T, "publicID">;

const NOBODY = "00000000-0000-0000-0000-000000000000";
const STATIONS = ["nrsta", "nsta", "nst", "stations", "stationcount"];
const UNCERTAINTIES = ["uncertainty", "error", "err", "sigma", "std"];

/**
 * A function that reads what rows of a file say of events, whatever the file is: all solutions of a row
 * that comes with a bulletin, of another its origin, magnitudes, mechanism or pick.
 * @param nowMs the present, milliseconds since 1970
 */
export function createJoinedRowReader(nowMs: number): (row: FileRow) => ReadRow {
  const readPart = createPartReader({ nowMs });
  return ({ row, bulletin: ofFile }) => {
    const { bulletin: member, bulletin_sha256: _, bulletin_counts: __, ...members } = row;
    const given = readPart(members);
    const { record, errors } = given;
    const cells = cellsOf(members);
    const bulletin = ofFile ?? (member as Bulletin | null | undefined) ?? null;
    const picks = bulletin === null ? picksOfColumns(cells, given, nowMs) : null;
    const id = idOfRow(record, cells, picks !== null);
    if (id === null) return faulty("source_id", "is missing: it says of which event the row is");
    if (bulletin !== null) return ofBulletin(bulletin, id);
    if (picks !== null && "field" in picks) return { ok: false, id, errors: [picks] };
    // A pick's columns have other meanings for a whole event.
    if (errors.length > 0 && picks === null) return { ok: false, id, errors };
    const said = picks === null ? solutionsOf(record, cells, members) : { pick: picks };
    if (Object.keys(said).length === 0) {
      return { ...faulty("row", "has neither magnitude, mechanism, origin nor pick"), id };
    }
    return { ok: true, id, joined: { row: withIds(said, bareId(id)) } };
  };
}

function ofBulletin(bulletin: Bulletin, id: string): ReadRow {
  const fault = bulletinFault(bulletin);
  if (fault === null) return { ok: true, id, joined: { bulletin } };
  return { ...faulty(`bulletin.${fault.path}`, fault.message), id };
}

function faulty(field: string, message: string) {
  return { ok: false as const, errors: [{ field, message }] };
}

/** The public id where there is one: it says which of several events of a bare id is meant. */
function idOfRow(record: SeismicEventRecord, cells: Cells, isPick: boolean): string | null {
  if (isPick || record.source_id === null) return cells.text(...EVENT_COLUMNS);
  const { publicId, sourceId } = idsOf(record);
  return publicId ?? sourceId;
}

/** What a row says, as yet without ids. */
type Said = {
  readonly origin?: Content<Origin>;
  readonly centroid?: Content<Origin>;
  readonly magnitude?: readonly Content<Magnitude>[];
  readonly focalMechanism?: readonly object[];
  readonly pick?: readonly SaidPick[];
};

function solutionsOf(record: SeismicEventRecord, cells: Cells, row: JsonObject): Said {
  const isPlaced = record.time !== "" && record.latitude !== null && record.longitude !== null;
  const whole = bulletinOfRow({ ...record, id: NOBODY });
  const origin = isPlaced ? whole.origin?.[0] : undefined;
  const centroid = origin && centroidOf(origin, cells);
  const magnitude = magnitudesOf(whole.magnitude?.[0], record, cells, row);
  const mw = magnitude.find(({ type = "" }) => /^mw/i.test(type))?.mag.value ?? null;
  const ofColumns = mechanismOfColumns(cells, mw);
  const given = (whole.focalMechanism ?? []).map(withoutIds);
  const { momentTensor, ...mechanism } = ofColumns ?? {};
  const list = momentTensor ? { ...mechanism, momentTensor: [momentTensor] } : mechanism;
  // Beside a mechanism the place is that of the event, or of the centroid.
  const isOwnPlace = origin !== undefined && ofColumns === null;
  return present({
    origin: isOwnPlace ? withoutIds(origin) : undefined,
    centroid: ofColumns === null ? undefined : centroid,
    magnitude,
    focalMechanism: ofColumns === null ? given : [list],
  });
}

/** Where a moment tensor is whose table gives its depth beside the place of the event. */
function centroidOf(
  { latitude, longitude, time }: Origin,
  cells: Cells,
): Content<Origin> | undefined {
  const depth = cells.number("cd", "centroiddepth");
  if (depth === null) return undefined;
  return {
    time: { value: time.value },
    longitude: { value: longitude.value },
    latitude: { value: latitude.value },
    depth: { value: movePoint(depth, KILOMETRES_TO_METRES) as number },
    depthType: "from moment tensor inversion",
    timeFixed: true,
    epicenterFixed: true,
    type: "centroid",
  };
}

/** The row's magnitude, then those in other columns that are named for a type. */
function magnitudesOf(
  own: Magnitude | undefined,
  { extra, agency_id: agencyID, author }: SeismicEventRecord,
  cells: Cells,
  row: JsonObject,
): Content<Magnitude>[] {
  const creationInfo = present({
    agencyID: agencyID ?? undefined,
    author: author ?? undefined,
  });
  const isNamed = Object.keys(creationInfo).length > 0;
  const further = Object.entries({ ...row, ...extra }).flatMap(([column, value]) => {
    const type = magnitudeTypeOfName(column)?.name;
    if (type === undefined || type === own?.type || typeof value !== "number") return [];
    return [{ mag: { value }, type } as Content<Magnitude>];
  });
  const all = own === undefined ? further : [withoutIds(own) as Content<Magnitude>, ...further];
  return all.map((magnitude) => ({
    ...magnitude,
    ...ofType(magnitude, cells),
    ...(isNamed && magnitude.creationInfo === undefined && { creationInfo }),
  }));
}

/** What columns with a type's name in theirs say of its magnitude. */
function ofType({ mag, type = "", stationCount }: Content<Magnitude>, cells: Cells) {
  const named = (words: readonly string[]) => {
    const name = type.toLowerCase();
    return name === ""
      ? null
      : cells.number(...words.flatMap((word) => [word + name, name + word]));
  };
  const [stations, uncertainty] = [named(STATIONS), named(UNCERTAINTIES)];
  return {
    ...(uncertainty !== null &&
      uncertainty >= 0 &&
      mag.uncertainty === undefined && { mag: { ...mag, uncertainty } }),
    ...(stations !== null &&
      Number.isSafeInteger(stations) &&
      stationCount === undefined && { stationCount: stations }),
  };
}

function withoutIds<T extends object>(object: T): Omit<T, "publicID" | "originID"> {
  const {
    publicID: _,
    originID: __,
    ...rest
  } = object as T & {
    readonly publicID?: string;
    readonly originID?: string;
  };
  return rest;
}

/** What is said under ids that follow from it: the same row of the same event has the same ids. */
function withIds(said: Said, eventId: string): JoinedRow {
  const named = (kind: Kind, object: object) => {
    const publicID = serviceId(eventId, kind, JSON.stringify(object));
    const { momentTensor: tensors } = object as { readonly momentTensor?: readonly object[] };
    const momentTensor = tensors?.map((tensor) => ({
      ...withoutIds(tensor),
      publicID: serviceId(eventId, "momentTensor", JSON.stringify(object)),
    }));
    return { ...object, publicID, ...(momentTensor && { momentTensor }) };
  };
  const all = (kind: Kind, objects: readonly object[] | undefined) =>
    objects?.map((object) => named(kind, object));
  const picks = (said.pick ?? []).map(({ pick, residual }) => {
    const object = named("pick", pick);
    const { publicID: pickID } = object;
    const arrival = { pickID, phase: pick.phaseHint ?? "", timeResidual: residual };
    return { pick: object, ...(residual !== null && { arrival: named("arrival", arrival) }) };
  });
  return present({
    origin: said.origin && named("origin", said.origin),
    centroid: said.centroid && named("origin", said.centroid),
    magnitude: all("magnitude", said.magnitude),
    focalMechanism: all("focalMechanism", said.focalMechanism),
    picks,
  }) as unknown as JoinedRow;
}
