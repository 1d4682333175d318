import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { createTextIndex } from "../../files/text-index.ts";
import { isServiceId } from "../quakeml/shared/service-id.ts";
import { xmlText } from "../xml/xml-text.ts";
import { withFlags } from "./arrival-weights.ts";
import type { Losses } from "./losses.ts";
import { READING } from "./own-shapes.ts";
import { createObjectWriter, type Members } from "./write-object.ts";
import { isOwn, writeOwn } from "./write-own.ts";

type Arrival = QuakemlObject<"Arrival">;
type Identified = Members & { readonly publicID: string };

/**
 * Returns the writer of events: picks, amplitudes, readings, origins with their magnitudes and
 * mechanisms, then the event, which refers to origins and mechanisms.
 */
export function createEventWriter(losses: Losses): (bulletin: Bulletin) => string {
  const writeObject = createObjectWriter(losses);
  const present = createWrittenObjects();

  function one(name: string, type: TypeName, object: Members, further = ""): string {
    const xml = writeObject({ name, type, object, further });
    if (xml === null) losses.count(name);
    return xml ?? "";
  }

  /** An event's objects of a kind, but for those that an earlier event has written. */
  function beside<O extends Identified>(
    kind: string,
    objects: readonly O[] | undefined,
    write: (object: O) => string,
  ): string {
    const ids = new Set<string>();
    let written = "";
    for (const object of objects ?? []) {
      const xml = write(object);
      const isAgain = ids.has(object.publicID);
      ids.add(object.publicID);
      const standing = xml === "" ? "same" : present.add(`${kind} ${object.publicID}`, xml);
      if (standing === "other" && !isAgain) losses.count(`${kind} with the id of another event's`);
      if (standing === "same" && isAgain) losses.count(`${kind} that stands twice in its event`);
      if (standing !== "same") written += `${xml}\n`;
    }
    return written;
  }

  function arrivalOf(arrival: Arrival): Members {
    const lose = (weight: string) => losses.count(`arrival.${weight}`);
    const { publicID, ...flagged } = withFlags(arrival, lose);
    return isServiceId(publicID) ? flagged : { ...flagged, publicID };
  }

  function writeOrigins(bulletin: Bulletin): string {
    const { magnitudes, stationMagnitudes } = magnitudesByOrigin(bulletin);
    if (bulletin.origin === undefined) {
      losses.count("magnitude", bulletin.magnitude?.length);
      losses.count("stationMagnitude", bulletin.stationMagnitude?.length);
    }
    return beside("origin", bulletin.origin, (origin) => {
      const { arrival } = origin;
      const object = { ...origin, ...(arrival && { arrival: arrival.map(arrivalOf) }) };
      const ofOrigin = [
        ...(stationMagnitudes.get(origin) ?? []).map((magnitude) =>
          one("stationMagnitude", "StationMagnitude", magnitude),
        ),
        ...(magnitudes.get(origin) ?? []).map((magnitude) =>
          one("magnitude", "Magnitude", magnitude),
        ),
      ];
      return one("origin", "Origin", object, ofOrigin.join(""));
    });
  }

  return (bulletin) => {
    const { focalMechanism, amplitude, pick, origin, foreign = [], ...event } = bulletin;
    const { magnitude: _, stationMagnitude: __, ...rest } = event;
    const readings = readingsOf(foreign);
    const others = foreign.filter((item) => !readings.has(item));
    const unconnected = unconnectedOf(bulletin);
    losses.count("pick that nothing of its event names", unconnected.picks);
    losses.count("amplitude that nothing of its event names", unconnected.amplitudes);
    const further =
      references("originReference", origin) + references("focalMechanismReference", focalMechanism);
    return (
      beside("pick", pick, (object) => one("pick", "Pick", object)) +
      beside("amplitude", amplitude, (object) => one("amplitude", "Amplitude", object)) +
      [...readings.values()].map((xml) => `${xml}\n`).join("") +
      writeOrigins(bulletin) +
      beside("focalMechanism", focalMechanism, (object) =>
        one("focalMechanism", "FocalMechanism", object),
      ) +
      `${one("event", "Event", { ...rest, foreign: others }, further)}\n`
    );
  };
}

/** Readings stand beside the events in SCML; in a bulletin they are foreign elements of the event. */
function readingsOf(foreign: readonly Foreign[]): ReadonlyMap<Foreign, string> {
  const readings = new Map<Foreign, string>();
  for (const item of foreign) {
    const xml = item.name === "reading" && isOwn(item) ? writeOwn(item, READING) : null;
    if (xml !== null) readings.set(item, xml);
  }
  return readings;
}

function references(name: string, objects: readonly { readonly publicID: string }[] = []): string {
  const ids = new Set(objects.map(({ publicID }) => publicID));
  return [...ids].map((id) => `<${name}>${xmlText(id)}</${name}>`).join("");
}

/** How an object stands to those that are in the file: new, the same again, or another with its key. */
type Standing = "new" | "same" | "other";

/**
 * The objects that stand beside the events of a file: events that share one share its only copy.
 * Remembers hashes alone.
 */
function createWrittenObjects() {
  const keys = createTextIndex();
  const contents = createTextIndex();
  return {
    add(key: string, xml: string): Standing {
      if (contents.numbersOf(xml).length > 0) return "same";
      contents.add(xml, 0);
      if (keys.numbersOf(key).length > 0) return "other";
      keys.add(key, 0);
      return "new";
    },
  };
}

type Unconnected = { readonly picks: number; readonly amplitudes: number };

/**
 * The picks and amplitudes of an event that no reader of SCML finds: in SCML they stand beside the
 * events, and belong to one through arrivals, station magnitudes and amplitudes.
 */
function unconnectedOf({ origin, stationMagnitude, amplitude, pick }: Bulletin): Unconnected {
  const picks = new Set(origin?.flatMap(({ arrival = [] }) => arrival.map(({ pickID }) => pickID)));
  const named = new Set(stationMagnitude?.map(({ amplitudeID }) => amplitudeID));
  const [ofMagnitudes, others] = [
    amplitude?.filter(({ publicID }) => named.has(publicID)) ?? [],
    amplitude?.filter(({ publicID }) => !named.has(publicID)) ?? [],
  ];
  for (const { pickID } of ofMagnitudes) if (pickID !== undefined) picks.add(pickID);
  return {
    picks: pick?.filter(({ publicID }) => !picks.has(publicID)).length ?? 0,
    amplitudes: others.filter(({ pickID }) => pickID === undefined || !picks.has(pickID)).length,
  };
}

type Origin = QuakemlObject<"Origin">;
type OfOrigin<M> = ReadonlyMap<Origin, readonly M[]>;

type MagnitudesByOrigin = {
  readonly magnitudes: OfOrigin<QuakemlObject<"Magnitude">>;
  readonly stationMagnitudes: OfOrigin<QuakemlObject<"StationMagnitude">>;
};

/**
 * An event's magnitudes by the origins in which SCML has them. Those of no origin of the event stand in
 * the preferred one, with the id that they name, if they name one; without origins they have no place.
 */
function magnitudesByOrigin(bulletin: Bulletin): MagnitudesByOrigin {
  const { origin = [], preferredOriginID, magnitude = [], stationMagnitude = [] } = bulletin;
  // Of several with an id, a reference means the first.
  const ids = new Map(origin.toReversed().map((one) => [one.publicID, one]));
  const home = ids.get(preferredOriginID ?? "") ?? origin[0];

  function grouped<M extends { readonly originID?: string }>(list: readonly M[]): OfOrigin<M> {
    const lists = new Map<Origin, M[]>();
    for (const item of list) {
      const place = ids.get(item.originID ?? "") ?? home;
      if (place === undefined) continue;
      const present = lists.get(place);
      if (present === undefined) lists.set(place, [item]);
      else present.push(item);
    }
    return lists;
  }

  return { magnitudes: grouped(magnitude), stationMagnitudes: grouped(stationMagnitude) };
}
