import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { withMember } from "#contracts/bulletin/row-paths.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { BulletinView } from "./bulletin-view.ts";
import { createJoinedLists } from "./joined-lists.ts";
import { PREFERABLE, type PreferredChange, withPreferred } from "./preferred-solutions.ts";
import { type Identified, listOf, TOP_LISTS } from "./solutions.ts";

type Unplaced<T extends "FocalMechanism"> = Omit<QuakemlObject<T>, "momentTensor"> & {
  readonly momentTensor?: readonly Omit<QuakemlObject<"MomentTensor">, "derivedOriginID">[];
};

/** What a row of a table says of an event; ids follow from what is said, not from the event. */
export type JoinedRow = {
  readonly origin?: QuakemlObject<"Origin">;
  /** Where the moment tensor is; its time may be to the minute. */
  readonly centroid?: QuakemlObject<"Origin">;
  /** The first is the row's own. */
  readonly magnitude?: readonly QuakemlObject<"Magnitude">[];
  readonly focalMechanism?: readonly Unplaced<"FocalMechanism">[];
  /** Each with its arrival at the origin that the event shows. */
  readonly picks?: readonly {
    readonly pick: QuakemlObject<"Pick">;
    readonly arrival?: QuakemlObject<"Arrival">;
  }[];
};

/** What is to be added to an event: all solutions of a bulletin, or what a row says. */
export type Joined = { readonly bulletin: Bulletin } | { readonly row: JoinedRow };

type Joining = {
  readonly lists: ReturnType<typeof createJoinedLists>;
  readonly view: BulletinView;
  /** Those that rows say of picks, by the pick. */
  readonly arrivals: Map<string, QuakemlObject<"Arrival">>;
  /** The origin that the event shows before. */
  readonly shown: QuakemlObject<"Origin"> | undefined;
};

/**
 * A bulletin with the solutions that a file has for its event; those that it has already are not added
 * again. What the row shows stays, unless it shows nothing of the kind or `preferred` says that what is
 * added, of several the last, is to be shown.
 * @returns the same object where nothing is new
 */
export function joinedBulletin(
  before: Bulletin,
  additions: Iterable<Joined>,
  preferred: boolean,
  view: BulletinView,
): Bulletin {
  const lists = createJoinedLists(before);
  const arrivals: Joining["arrivals"] = new Map();
  const joining: Joining = { lists, view, arrivals, shown: view.origin(before) };
  let wanted: PreferredChange = {};
  for (const addition of additions) {
    const shown =
      "row" in addition ? joinRow(joining, addition.row) : joinBulletin(joining, addition.bulletin);
    wanted = { ...wanted, ...shown };
  }
  const joined = lists.bulletin();
  const chosen = preferred ? unlessShown(joined, wanted, view) : {};
  const result = withPreferred(joined, chosen);
  const staying = { ...wanted, ...shownIn(before, view), ...(preferred && wanted) };
  return withArrivals(naming(result, unlessShown(result, staying, view)), arrivals, view);
}

/** The bulletin with arrivals at the origin that it shows, but for picks that have one there. */
function withArrivals(
  bulletin: Bulletin,
  arrivals: Joining["arrivals"],
  view: BulletinView,
): Bulletin {
  const shown = arrivals.size === 0 ? undefined : view.origin(bulletin);
  const before = shown?.arrival ?? [];
  const known = new Set(before.map(({ pickID }) => pickID));
  const added = [...arrivals.values()].filter(({ pickID }) => !known.has(pickID));
  if (shown === undefined || added.length === 0) return bulletin;
  const { origin = [] } = bulletin;
  const place = origin.indexOf(shown);
  return { ...bulletin, origin: origin.with(place, { ...shown, arrival: [...before, ...added] }) };
}

/** The bulletin that names what it is to show; what is said of the row besides stays. */
function naming(bulletin: Bulletin, ids: PreferredChange): Bulletin {
  return PREFERABLE.reduce((result, { of, member }) => {
    const id = ids[of];
    return id === undefined ? result : withMember(result, member, id);
  }, bulletin);
}

function joinBulletin({ lists, view }: Joining, given: Bulletin): PreferredChange {
  for (const [kind] of TOP_LISTS) {
    for (const object of listOf(given, kind)) lists.put(kind, object);
  }
  return shownIn(given, view);
}

function joinRow({ lists, arrivals, shown }: Joining, row: JoinedRow): PreferredChange {
  const add = (kind: Kind, object: object) => lists.add(kind, object as Identified);
  const originID = row.origin && add("origin", row.origin);
  const centroidID = row.centroid && add("origin", atTimeOf(row.centroid, shown));
  const placeID = centroidID ?? originID;
  const magnitudes = (row.magnitude ?? []).map((magnitude) => {
    const of = isMoment(magnitude) ? placeID : originID;
    return { magnitude, id: add("magnitude", of ? { ...magnitude, originID: of } : magnitude) };
  });
  const momentMagnitudeID = magnitudes.find(({ magnitude }) => isMoment(magnitude))?.id;
  const mechanisms = (row.focalMechanism ?? []).map((mechanism) => {
    const derivedOriginID = placeID ?? shown?.publicID ?? "";
    const tensors = mechanism.momentTensor?.map((tensor) => ({
      ...tensor,
      derivedOriginID,
      ...(momentMagnitudeID && { momentMagnitudeID }),
    }));
    return add("focalMechanism", { ...mechanism, ...(tensors && { momentTensor: tensors }) });
  });
  for (const { pick, arrival } of row.picks ?? []) {
    const pickID = add("pick", pick);
    if (arrival && !arrivals.has(pickID)) arrivals.set(pickID, { ...arrival, pickID });
  }
  // Of several magnitudes that one which the event does not have from elsewhere.
  const [first] = magnitudes;
  const own = magnitudes.find(({ magnitude, id }) => magnitude.publicID === id) ?? first;
  return {
    ...(originID && { originID }),
    ...(own && { magnitudeID: own.id }),
    ...(mechanisms.length > 0 && { focalMechanismID: mechanisms[0] }),
  };
}

function isMoment({ type = "" }: QuakemlObject<"Magnitude">): boolean {
  return /^mw/i.test(type);
}

const MINUTE_MS = 60_000;

/** A centroid whose table has the minute alone takes the seconds of the event. */
function atTimeOf(
  centroid: QuakemlObject<"Origin">,
  shown: QuakemlObject<"Origin"> | undefined,
): QuakemlObject<"Origin"> {
  const [given, known] = [parseTime(centroid.time.value), parseTime(shown?.time.value ?? "")];
  if (given === null || known === null) return centroid;
  const [start, time] = [timeToMilliseconds(given), timeToMilliseconds(known)];
  const isWithin = start % MINUTE_MS === 0 && time >= start && time < start + MINUTE_MS;
  return isWithin ? { ...centroid, time: { value: shown?.time.value ?? "" } } : centroid;
}

/** The ids of what a bulletin shows. */
function shownIn(bulletin: Bulletin, view: BulletinView): PreferredChange {
  const originID = view.origin(bulletin)?.publicID;
  const magnitudeID = view.magnitude(bulletin)?.publicID;
  const { focalMechanism = [], preferredFocalMechanismID: named } = bulletin;
  const mechanism = focalMechanism.find(({ publicID }) => publicID === named) ?? focalMechanism[0];
  const focalMechanismID = mechanism?.publicID;
  return {
    ...(originID && { originID }),
    ...(magnitudeID && { magnitudeID }),
    ...(focalMechanismID && { focalMechanismID }),
  };
}

/** Those of the ids that the bulletin does not show. */
function unlessShown(
  bulletin: Bulletin,
  ids: PreferredChange,
  view: BulletinView,
): PreferredChange {
  const shown = shownIn(bulletin, view);
  const others = PREFERABLE.flatMap(({ of }) =>
    ids[of] === undefined || ids[of] === shown[of] ? [] : [[of, ids[of]]],
  );
  return Object.fromEntries(others);
}
