import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { call, callForAll, type SeismicEvent } from "../../../api/call.ts";
import type { Change } from "../../../api/diff.ts";
import { has, user } from "../../../api/session.ts";
import { Kind, toldDifferences } from "../../../map/changes.tsx";
import { EventMap } from "../../../map/event-map.tsx";
import type { MapView } from "../../../model/bounds.ts";
import { outlineOf } from "../../../model/error-ellipse.ts";
import { Answered, ErrorNotice, useCall } from "../../../ui/call.tsx";
import { ask } from "../../../ui/form/ask.ts";
import { Select } from "../../../ui/form/fields.tsx";
import { area, custom, type Shown as FieldShown } from "../../../ui/form/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { listen } from "../../../ui/listen.ts";
import { Button, ButtonLink, Empty } from "../../../ui/page.tsx";
import { Actor } from "../../../ui/person.tsx";
import { Table } from "../../../ui/table.tsx";
import {
  type FieldName,
  labelOf,
  toldMargin,
  toldValue,
} from "../../../ui/text/attribute-names.ts";
import { count, counted, magnitudeName, time, UNKNOWN } from "../../../ui/text/format.ts";
import { Moment, UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import { useSettled } from "../../../ui/timers.ts";
import { drawingOf, PAIR_ROLES, SourcedEvent, viewOfPlaces } from "../clusters/clusters-part.tsx";
import { eventsOf, type Verdict } from "../config/config.ts";
import { differencesOf, isTaken, type ReviewPair } from "./queue.ts";
import { type Desk, type DeskState, type Solutions, useDesk } from "./use-desk.ts";

type DeskPartProps = {
  readonly catalogue: string;
  readonly first: { readonly pairs: readonly ReviewPair[]; readonly next?: string | undefined };
  readonly state: DeskState;
  readonly nameOf: (catalogue: string) => string;
};

/** One doubtful pair after the other, decided by keys. */
export function DeskPart({ catalogue, first, state, nameOf }: DeskPartProps) {
  const desk = useDesk(catalogue, first, state);
  useArrows(desk);
  const { pair, made, solutions } = desk;
  return (
    <>
      {made.value.length > 0 && <MadeLine catalogue={catalogue} desk={desk} />}
      {pair === null ? (
        <AtEnd catalogue={catalogue} state={state} />
      ) : (
        <>
          <DeskActions desk={desk} pair={pair} state={state} />
          <div class="desk">
            <div class="stack">
              {pair.claim && isTaken(pair, user.value?.id) && (
                <div class="notice warning" role="status">
                  <span>
                    <Actor id={pair.claim.user} /> has this pair since <Moment at={pair.claim.at} />
                    . Go on with the next one.
                  </span>
                </div>
              )}
              <p class="pair-words">
                {differencesOf(pair, solutions?.[0] ?? null, solutions?.[1] ?? null).join(" ")}
              </p>
              <PairTable pair={pair} solutions={solutions} nameOf={nameOf} />
              <section class="panel effects" aria-label="What a decision would change">
                <Effect catalogue={catalogue} pair={pair} type="same" />
                <Effect catalogue={catalogue} pair={pair} type="different" />
              </section>
            </div>
            <div class="cluster-map">
              <PairMap pair={pair} solutions={solutions} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

type MadeLineProps = { readonly catalogue: string; readonly desk: Desk };

/** What has been decided here: it waits for a refresh. */
function MadeLine({ catalogue, desk: { made, undo } }: MadeLineProps) {
  const last = made.value.at(-1);
  return (
    <div class="notice done" role="status">
      <span>
        {counted(made.value.length, "pair")} decided, the last as{" "}
        {last?.type === "same" ? "the same earthquake" : "different"}. This holds from the next{" "}
        <Link href={`/catalogues/${catalogue}/merge`}>refresh</Link> on.
      </span>
      <button type="button" data-shortcut="u" onClick={() => void undo()}>
        Undo <kbd>U</kbd>
      </button>
    </div>
  );
}

function AtEnd({ catalogue, state }: Pick<DeskPartProps, "catalogue" | "state">) {
  return state === "open" ? (
    <Empty
      title="No pair waits for a decision"
      text="Each doubtful pair is decided, put off, or looked at by somebody else. What is decided takes effect with the next refresh."
    >
      <ButtonLink href={`/catalogues/${catalogue}/merge`} text="To the refresh" />
    </Empty>
  ) : (
    <Empty title="No pair is put off" text="What you leave for later on the desk stands here." />
  );
}

/** Arrows go through the pairs, unless they move the map or a field's cursor. */
function useArrows({ move }: Desk): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (ctrlKey || metaKey || altKey || shiftKey) return;
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const isElsewhere =
        target instanceof Element && target.closest("input, select, textarea, dialog, .map");
      if (isElsewhere) return;
      event.preventDefault();
      move(key === "ArrowRight" ? 1 : -1);
    };
    return listen({ keydown: onKey });
  });
}

const MOST_LETTERS = 1_000;

/** What somebody writes down of a pair: others see it, and the decision takes it along. */
function askForNote({ id, note }: ReviewPair, put: Desk["put"]): void {
  ask({
    title: "Note on the pair",
    text: (
      <p class="muted">
        Whoever looks at the pair sees it. It goes with the decision, as the reason for it.
      </p>
    ),
    fields: { note: area({ label: "Note", max: MOST_LETTERS, start: note ?? "" }) },
    action: "Keep the note",
    run: (_, typed) => put(id, { note: typed.note || null }),
  });
}

/** Gives a pair to somebody else; for administrators, who alone know the accounts. */
function askForHands({ id }: ReviewPair, { put, move }: Desk): void {
  ask({
    title: "Hand the pair over",
    text: (
      <p class="muted">
        Nobody else decides it until that person has, or leaves it for a quarter of an hour.
      </p>
    ),
    fields: { claim: custom("", (shown) => <PersonSelect {...shown} />) },
    action: "Hand over",
    isReady: ({ claim }) => claim !== "",
    run: (_, { claim }) => put(id, { claim }),
    after: () => move(1),
  });
}

function PersonSelect(shown: FieldShown<string>) {
  const people = useCall("people", async (signal) => {
    const { users } = (await callForAll("GET /api/users", {}, { signal })).answer;
    return users.filter(({ id, role }) => role !== "viewer" && id !== user.value?.id);
  });
  return (
    <Answered call={people}>
      {(users) => (
        <Select
          label="To"
          {...shown}
          options={[
            { value: "", text: "Choose…" },
            ...users.map(({ id, name, email }) => ({ value: id, text: `${name} (${email})` })),
          ]}
        />
      )}
    </Answered>
  );
}

type PairMapProps = {
  readonly pair: ReviewPair;
  /** Null before they are read. */
  readonly solutions: Solutions | null;
};

/** Both solutions of a pair with their error ellipses, and the line between them. */
function PairMap({ pair, solutions }: PairMapProps) {
  const { first, second } = pair;
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>(null);
  const drawing = useMemo(() => drawingOf([{ members: [first, second] }], PAIR_ROLES), [pair.id]);
  const ellipses = useMemo(
    () =>
      (solutions ?? []).flatMap((one) => (one?.ellipse ? [outlineOf(one.event, one.ellipse)] : [])),
    [solutions],
  );
  useEffect(() => {
    view.value = viewOfPlaces([first, second, ...ellipses.flat()]);
  }, [pair.id, ellipses]);
  return <EventMap {...drawing} selected={selected} view={view} ellipse={ellipses} />;
}

type DeskActionsProps = Pick<DeskPartProps, "state"> & {
  readonly desk: Desk;
  readonly pair: ReviewPair;
};

/** What can be done with a pair, each by a key too. */
function DeskActions({ desk, pair, state }: DeskActionsProps) {
  const { queue, decide, putOff, move, put } = desk;
  const { pairs, at } = queue.value;
  const isOthers = isTaken(pair, user.value?.id);
  const later = state === "open" ? "Later" : "Back to the open ones";
  const actions = [
    ["S", "Same earthquake", () => decide("same")],
    ["D", "Different", () => decide("different")],
    ["L", later, putOff],
    ["N", pair.note ? "Note" : "Add a note", () => askForNote(pair, put)],
    ["H", "Hand over", () => askForHands(pair, desk)],
  ] as const;
  return (
    <div class="desk-actions" role="toolbar" aria-label="What to do with the pair">
      {actions.map(
        ([key, text, act]) =>
          (key !== "H" || has("admin")) && (
            <button
              key={key}
              type="button"
              class={key === "N" || key === "H" ? "quiet" : undefined}
              data-shortcut={key.toLowerCase()}
              disabled={isOthers && key !== "H"}
              onClick={act}
            >
              {text} <kbd>{key}</kbd>
            </button>
          ),
      )}
      <span class="end row">
        <Button
          class="quiet sign"
          aria-label="Previous pair"
          disabled={at === 0}
          onClick={() => move(-1)}
          text={<Icon name="left" />}
        />
        <span class="nowrap" role="status">
          Pair {count(at + 1)} of {count(pairs.length)}
        </span>
        <Button
          class="quiet sign"
          aria-label="Next pair"
          disabled={at + 1 >= pairs.length}
          onClick={() => move(1)}
          text={<Icon name="right" />}
        />
      </span>
      {pair.note && <p class="desk-note">Note: {pair.note}</p>}
    </div>
  );
}

type EffectProps = {
  readonly catalogue: string;
  readonly pair: ReviewPair;
  readonly type: Verdict;
};

/** What a decision on a pair would change in the merged catalogue. */
function Effect({ catalogue, pair, type }: EffectProps) {
  const settled = useSettled(pair);
  const isSettled = settled.id === pair.id;
  // Not asked any more of a pair that has been left: a decision made on it contradicts the other one tried.
  const key = isSettled ? `${catalogue} ${pair.id} ${type}` : "";
  const { answer, error } = useCall(key, async (signal) => {
    if (!isSettled) return null;
    const body = { decisions: [{ type, events: eventsOf(settled) }] };
    const params = { id: catalogue };
    const { changes } = await call(
      "POST /api/catalogues/:id/merge/preview",
      { params, body },
      { signal },
    );
    return changesOfPair(changes as readonly Change[], settled);
  });
  const changes = isSettled ? answer : null;
  return (
    <div class="stack">
      <h2>If they are {type === "same" ? "the same" : "different"}</h2>
      <ErrorNotice error={error} />
      {changes === null ? (
        error === null && <p class="muted">Looking…</p>
      ) : changes.length === 0 ? (
        <p class="muted">Nothing changes.</p>
      ) : (
        <ul class="effect-list">
          {changes.map((change) => (
            <li key={change.event.id}>
              <Kind kind={change.change} /> {toldChange(change)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** "2016-11-13 11:02:56, Mw 7.8: Depth 15.1 km → 20 km". */
function toldChange({ change, event, before }: Change): string {
  const [magnitude] = magnitudeName(event.magnitude, event.magnitude_type);
  const name = `${time(event.time).slice(0, 19)}, ${magnitude}`;
  // Of what it is made is what the decision is about.
  const told = toldDifferences({
    change,
    event: { ...event, source_events: [] },
    ...(before && { before: { ...before, source_events: [] } }),
  });
  return told === "" ? name : `${name}: ${told}`;
}

/** Those changes of a refresh that are about a pair: of merged events that have, or had, one of its events. */
function changesOfPair(
  changes: readonly Change[],
  { first, second }: Pick<ReviewPair, "first" | "second">,
): readonly Change[] {
  const ids = [first.event_id, second.event_id];
  const has = (event: SeismicEvent | undefined) =>
    event?.source_events?.some(({ event_id: id }) => id !== null && ids.includes(id)) ?? false;
  return changes.filter(({ event, before }) => has(event) || has(before));
}

/** What tells how well a solution is known; rows that neither has are left out. */
const FIELDS: readonly FieldName[] = [
  "agency_id",
  "used_station_count",
  "azimuthal_gap",
  "standard_error",
  "evaluation_mode",
  "evaluation_status",
];

type Paired = ReviewPair["first"];
/** An attribute, and how each solution has it; null is a solution that is not read. */
type Row = readonly [
  name: string,
  tell: (paired: Paired, event: SeismicEvent | null) => ComponentChildren,
];

const withMargin = (
  told: ComponentChildren,
  name: Parameters<typeof toldMargin>[0],
  event: SeismicEvent | null,
) => (
  <span class="nowrap">
    {told} <span class="muted">{event && toldMargin(name, event)}</span>
  </span>
);

const ROWS: readonly Row[] = [
  ["Time, UTC", ({ time }, event) => withMargin(<UtcTime at={time} length={22} />, "time", event)],
  ["Place", (paired, event) => <Where event={event ?? paired} />],
  [
    "Coordinates",
    (paired, event) => (
      <span class="nowrap">
        {toldValue("latitude", event ?? paired)} {toldValue("longitude", event ?? paired)}
      </span>
    ),
  ],
  ["Depth", (paired, event) => withMargin(toldValue("depth", event ?? paired), "depth", event)],
  [
    "Magnitude",
    ({ magnitude }, event) => {
      const [name] = magnitudeName(magnitude, event?.magnitude_type ?? null);
      return withMargin(<strong>{name}</strong>, "magnitude", event);
    },
  ],
];

type PairTableProps = {
  readonly pair: ReviewPair;
  readonly solutions: Solutions | null;
  readonly nameOf: (catalogue: string) => string;
};

/** Both solutions of a pair, side by side. */
export function PairTable({ pair: { first, second }, solutions, nameOf }: PairTableProps) {
  const [a, b] = [solutions?.[0]?.event ?? null, solutions?.[1]?.event ?? null];
  const isTold = (name: FieldName) =>
    [a, b].some((event) => event !== null && toldValue(name, event) !== UNKNOWN);
  const source: Row = ["Source", (paired) => <SourcedEvent event={paired} nameOf={nameOf} />];
  const further = FIELDS.filter(isTold).map(
    (name): Row => [labelOf(name), (_, event) => (event ? toldValue(name, event) : UNKNOWN)],
  );
  return (
    <Table
      label="Both solutions"
      kind="compact pair"
      columns={[
        { head: "Attribute", isHidden: true, isRowHead: true, cell: ([name]) => name },
        { head: "First", cell: ([, tell]) => tell(first, a) },
        { head: "Second", cell: ([, tell]) => tell(second, b) },
      ]}
      rows={[source, ...ROWS, ...further]}
    />
  );
}
