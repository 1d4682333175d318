import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { ColumnName } from "#contracts/http/events.ts";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import type { Catalogue } from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import { useSettings } from "../../api/session.ts";
import { classesOf, usualScale } from "../../drawing/classes.ts";
import { type Bounds, boundsOfBbox, holds, type MapView } from "../../model/bounds.ts";
import { addressOfEvent, type EventColumns } from "../../model/event-columns.ts";
import { type PanelTab, SERVICE_FILTERS, type WorkState } from "../../model/work-state.ts";
import type { Moved } from "../../plots/use-brush.ts";
import { useCall } from "../../ui/call.tsx";
import { useSettled } from "../../ui/timers.ts";
import { useWorkState } from "../../ui/use-work-state.ts";
import { passing, type Selection, withinMap, withSelection } from "./filters/filters.ts";

/** Measures of how well an event is known. */
export const QUALITY_COLUMNS = [
  "azimuthal_gap",
  "standard_error",
  "used_station_count",
  "magnitude_uncertainty",
] as const;

/** Of larger catalogues the table does not mark events with arrivals: each event is four bytes more. */
const MOST_MARKED = 200_000;

/** As long as the service has not said how many events an answer takes. */
const USUAL_MOST = 2_000_000;

/** Regions have names of their own in catalogues of up to so many events: a column takes no more texts. */
const MOST_NAMED = 65_535;

/** An answer about a catalogue of more events than one holds, and the box of the map that it was asked for; null: none. */
type Held = {
  readonly key: string;
  /** All that was asked for beside the box. */
  readonly of: string;
  readonly box: Bounds | null;
  readonly columns: EventColumns;
};

/** All that the work page of a catalogue shows: its address, what is moved at this moment, and the events. */
export function useWork(catalogue: Catalogue) {
  const { id, event_count: all } = catalogue;
  const [state, change] = useWorkState();
  /** What the map shows; null until it is drawn. */
  const bounds = useSignal<Bounds | null>(null);
  /** A selection while it is dragged or played, before the address has it. */
  const moving = useSignal<Selection | undefined>(undefined);
  /** The filters without the box of the map, and those of everything that is listed, drawn beside it and exported. */
  const outsideMap = useMemo(
    () => withSelection(state.filters, moving.value ?? {}),
    [JSON.stringify(state.filters), moving.value],
  );
  const inMap = state.inMap ? bounds.value : null;
  const filters = useMemo(() => withinMap(outsideMap, inMap), [outsideMap, inMap]);
  // Pinned: what comes to the catalogue is offered, and never changes what is being looked at.
  const asOf = state.asOf ?? (catalogue.version > 0 ? String(catalogue.version) : null);
  const version = asOf === null ? {} : { asOf };
  const most = useSettings()?.limits.maxColumnEvents ?? USUAL_MOST;
  const isLarge = all > most;
  // Of a large catalogue the largest events come, and once the map has been moved those of what it shows.
  const view = useSettled(isLarge && state.map !== null ? bounds.value : null);
  const box = view === null || showsAllOf(catalogue, view) ? null : view;
  // The browser itself applies the filters that need no more than place, time, depth and magnitude, unless there
  // are too many events to have them all.
  const own = isLarge ? withinMap(state.filters, box) : filters;
  const asked = (isLarge ? FILTER_NAMES : SERVICE_FILTERS).flatMap((name) =>
    own[name] ? [[name, own[name]] as const] : [],
  );
  const query: Record<string, string> = { ...version, ...Object.fromEntries(asked) };
  const further: readonly ColumnName[] = [
    ...(state.tab === "quality"
      ? QUALITY_COLUMNS
      : state.colour === "quality"
        ? (["azimuthal_gap"] as const)
        : []),
    ...(all <= MOST_MARKED ? (["arrivals"] as const) : []),
    ...(all <= MOST_NAMED ? (["region"] as const) : []),
  ];
  /** How much has come of the events that are on their way. */
  const bytes = useSignal(0);
  const held = useRef<readonly Held[]>([]);
  const of = JSON.stringify([id, version, state.filters, further]);
  const key = JSON.stringify([id, query, further]);
  const there = held.current.find((one) => one.key === key || hasAllOf(one, of, box));
  const loaded = useCall(there?.key ?? key, async (signal) => {
    if (there) return there.columns;
    bytes.value = 0;
    const onBytes = (read: number) => (bytes.value = read);
    const answer = await readColumns(id, query, further, { signal, onBytes });
    const isHeld = isLarge || answer.total !== undefined;
    if (isHeld) held.current = holding(held.current, { key, of, box, columns: answer });
    return answer;
  });
  const columns = loaded.last;
  const isInView = held.current.some((one) => one.columns === columns && one.box !== null);
  const isPart = isInView || columns?.total !== undefined;
  /** Indexes of the events on the map, and of those beside it, ascending; null for all. */
  const onMap = useMemo(() => columns && passing(columns, outsideMap), [columns, outsideMap]);
  const indexes = useMemo(
    () => (filters === outsideMap || columns === null ? onMap : passing(columns, filters)),
    [columns, outsideMap, filters, onMap],
  );
  /** Selects events by some of the filters, in everything at once. */
  const select = (selection: Selection, how: Moved) => {
    moving.value = how === "moving" ? selection : undefined;
    if (how === "moving") return;
    const next = (now: WorkState) => ({ filters: withSelection(now.filters, selection) });
    change(next, how === "chosen" ? "push" : "replace");
  };
  return {
    ...{ catalogue, state, change, bounds, moving, outsideMap, filters, asOf, isLarge, bytes },
    ...{ columns, isPart, isInView, onMap, indexes, select },
    isWaiting: loaded.answer === null && loaded.error === null,
    error: loaded.error,
    reload: loaded.reload,
    /** How many of the events that have come pass the filters; null before. */
    passing: columns && (indexes?.length ?? columns.count),
    /** A drag was given up. */
    stopSelecting: () => {
      moving.value = undefined;
    },
  };
}

export type Work = ReturnType<typeof useWork>;

/** No map shows what lies nearer to a pole, degrees. */
const POLAR = 85;

function showsAllOf({ bbox }: Catalogue, view: Bounds): boolean {
  if (bbox === null) return true;
  const { south, north, ...meridians } = boundsOfBbox(bbox);
  const most = (latitude: number) => Math.max(-POLAR, Math.min(POLAR, latitude));
  return holds(view, { ...meridians, south: most(south), north: most(north) });
}

/** Whether an answer has all events of a box, without a smaller one being left out. */
function hasAllOf(held: Held, of: string, box: Bounds | null): boolean {
  if (held.of !== of || held.columns.total !== undefined) return false;
  return held.box === null || (box !== null && holds(held.box, box));
}

/** The answers that stay with a further one: to which a smaller zoom leads back, and the last but one. */
function holding(held: readonly Held[], next: Held): readonly Held[] {
  const same = held.filter(({ of }) => of === next.of);
  const boxes = same.filter(({ box }) => box !== null);
  return [...same.filter(({ box }) => box === null), ...boxes.slice(-1), next];
}

/** What the map shows, kept in the address; Back and Forward move the map. */
export function useMapView({ state: { map }, bounds: seen, change }: Work) {
  const view = useSignal<MapView | null>(map);
  // What this page itself wrote comes back later, when the map may be elsewhere already.
  const key = JSON.stringify(map);
  const written = useRef(key);
  useEffect(() => {
    if (key === written.current) return;
    written.current = key;
    if (map) view.value = map;
  }, [key]);
  const last = useRef<string | null>(null);
  const onMoved = (now: MapView, bounds: Bounds) => {
    seen.value = bounds;
    const text = JSON.stringify(now);
    // The first view is made by fitting; it is nobody's choice. Neither is the map's size.
    if (last.current !== null && text !== last.current && text !== written.current) {
      written.current = text;
      change({ map: now }, "replace");
    }
    last.current = text;
  };
  return { view, onMoved };
}

/** What of the work page hangs on the events that have come. */
export function useShown(work: Work, columns: EventColumns) {
  const { catalogue, state } = work;
  const selected = useChosenEvent(work, columns);
  const scale = useMemo(() => state.scale ?? usualScale(columns), [columns, state.scale]);
  const classes = useMemo(
    () => classesOf(columns, state.colour, scale, Date.now()),
    [columns, state.colour, scale],
  );
  const [, navigate] = useLocation();
  /** Of an event's page. */
  const addressOf = (index: number) =>
    addressOfEvent(catalogue.id, columns.idOf(index), state.asOf ?? undefined);
  const onOpen = (index: number) => navigate(addressOf(index));
  return { ...work, columns, selected, scale, classes, addressOf, onOpen };
}

export type Shown = ReturnType<typeof useShown>;

export type PlotsProps = Shown & { readonly tab: Exclude<PanelTab, "table"> };

/** The chosen event's index, kept in step with its id in the address. */
function useChosenEvent({ state, isPart, change }: Work, columns: EventColumns) {
  const { event: wanted } = state;
  const first = useMemo(() => columns.indexOf(wanted), []);
  const selected = useSignal<number | null>(first);
  const chosen = selected.value;
  // What this page itself wrote comes back later, when something else may be chosen already.
  const written = useRef(wanted);
  useEffect(() => {
    const id = chosen === null ? null : columns.idOf(chosen);
    // It stays chosen while what has come is without it.
    const isElsewhere = isPart && id === null && columns.indexOf(written.current) === null;
    if (id === written.current || isElsewhere) return;
    // The first choice can be taken back; walking on from it leaves no trail.
    const how = written.current === null ? "push" : "replace";
    written.current = id;
    change({ event: id }, how);
  }, [chosen]);
  useEffect(() => {
    if (wanted === written.current) return;
    written.current = wanted;
    selected.value = columns.indexOf(wanted);
  }, [wanted]);
  // Other columns have the same event elsewhere, or not at all.
  useEffect(() => {
    selected.value = columns.indexOf(written.current);
  }, [columns]);
  return selected;
}
