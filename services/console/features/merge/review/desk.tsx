import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../../../api/call.ts";
import { callForAll } from "../../../api/call-for-all.ts";
import type { Change, SeismicEvent } from "../../../api/diff.ts";
import { has, user } from "../../../api/session.ts";
import type { Classes } from "../../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../../drawing/colours.ts";
import { KindMark } from "../../../map/changes.tsx";
import { EventMap } from "../../../map/event-map.tsx";
import type { MapView } from "../../../model/bounds.ts";
import { outlineOf } from "../../../model/error-ellipse.ts";
import { columnsOfEvents } from "../../../model/event-columns.ts";
import { Answered } from "../../../ui/call/answered.tsx";
import { ErrorNotice } from "../../../ui/call/notices.tsx";
import { useSettled } from "../../../ui/call/timers.ts";
import { useCall } from "../../../ui/call/use-call.ts";
import { Dialog } from "../../../ui/form/dialog.tsx";
import { bound } from "../../../ui/form/field.tsx";
import { Select, TextArea } from "../../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../../ui/form/submit.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Actor } from "../../../ui/person.tsx";
import { Empty } from "../../../ui/states.tsx";
import { changedLines } from "../../../ui/text/attribute-names.ts";
import { magnitudeName } from "../../../ui/text/digits.ts";
import { count, counted, time } from "../../../ui/text/format.ts";
import { Moment } from "../../../ui/text/moment.tsx";
import { viewOfPlaces } from "../clusters/cluster-view.ts";
import { eventsOf, type Verdict } from "../config/decided.ts";
import { PairTable } from "./pair-table.tsx";
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
  const { pair, made, solutions, put } = desk;
  // With its pair, which others may decide meanwhile: what is typed in it stays.
  const open = useSignal<{ readonly window: string; readonly pair: ReviewPair } | null>(null);
  const close = () => {
    open.value = null;
  };
  return (
    <>
      {made.value.length > 0 && <MadeLine catalogue={catalogue} desk={desk} />}
      {pair === null ? (
        <AtEnd catalogue={catalogue} state={state} />
      ) : (
        <>
          <DeskActions
            {...{ desk, pair, state }}
            onOpen={(window) => (open.value = { window, pair })}
          />
          <PairPart catalogue={catalogue} pair={pair} solutions={solutions} nameOf={nameOf} />
        </>
      )}
      {open.value?.window === "note" && (
        <NoteDialog pair={open.value.pair} put={put} onClose={close} />
      )}
      {open.value?.window === "hand-over" && (
        <HandOver catalogue={catalogue} pair={open.value.pair} desk={desk} onClose={close} />
      )}
    </>
  );
}

type PairPartProps = Pick<DeskPartProps, "catalogue" | "nameOf"> & {
  readonly pair: ReviewPair;
  readonly solutions: Solutions | null;
};

function PairPart({ catalogue, pair, solutions, nameOf }: PairPartProps) {
  const [first = null, second = null] = solutions ?? [];
  const isOthers = isTaken(pair, user.value?.id);
  return (
    <div class="desk">
      <div class="stack">
        {isOthers && pair.claim && (
          <div class="notice warning" role="status">
            <span>
              <Actor id={pair.claim.user} /> has this pair since <Moment at={pair.claim.at} />. Go
              on with the next one.
            </span>
          </div>
        )}
        <p class="pair-words">{differencesOf(pair, first, second).join(" ")}</p>
        <PairTable pair={pair} solutions={solutions} nameOf={nameOf} />
        <EffectPart catalogue={catalogue} pair={pair} />
      </div>
      <div class="cluster-map">
        <PairMap pair={pair} solutions={solutions} />
      </div>
    </div>
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
      <Link class="button" href={`/catalogues/${catalogue}/merge`}>
        To the refresh
      </Link>
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
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

const MOST_LETTERS = 1_000;

type NoteDialogProps = {
  readonly pair: ReviewPair;
  readonly put: Desk["put"];
  readonly onClose: () => void;
};

/** What somebody writes down of a pair: others see it, and the decision takes it along. */
function NoteDialog({ pair, put, onClose }: NoteDialogProps) {
  const note = useSignal(pair.note ?? "");
  const { submit, isBusy, error } = useSubmit(async () => {
    await put(pair.id, { note: note.value.trim() || null });
    onClose();
  });
  return (
    <Dialog title="Note on the pair" onClose={onClose}>
      <p class="muted">
        Whoever looks at the pair sees it. It goes with the decision, as the reason for it.
      </p>
      <form onSubmit={submit}>
        <TextArea label="Note" max={MOST_LETTERS} {...bound(note)} />
        <ErrorNotice error={error.value} />
        <SubmitRow text="Keep the note" isDisabled={isBusy.value} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

type PairMapProps = {
  readonly pair: ReviewPair;
  /** Null before they are read. */
  readonly solutions: Solutions | null;
};

const ROLES: Classes = {
  title: "Event of the pair",
  isLocal: false,
  classes: ["first", "second"].map((label, i) => ({ label, colour: KIND_COLOURS[i] ?? GREY })),
  classOf: Uint8Array.of(0, 1),
};

/** Both solutions of a pair with their error ellipses, and the line between them. */
function PairMap({ pair, solutions }: PairMapProps) {
  const { first, second } = pair;
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>(null);
  const columns = useMemo(
    () =>
      columnsOfEvents(
        0,
        [first, second].map((event) => ({ ...event, id: event.event_id })),
      ),
    [pair.id],
  );
  const lines = useMemo(() => [[first, second]], [pair.id]);
  const ellipses = useMemo(
    () =>
      (solutions ?? []).flatMap((one) => (one?.ellipse ? [outlineOf(one.event, one.ellipse)] : [])),
    [solutions],
  );
  useEffect(() => {
    view.value = viewOfPlaces([first, second, ...ellipses.flat()]);
  }, [pair.id, ellipses]);
  return (
    <EventMap
      columns={columns}
      selected={selected}
      view={view}
      colours={ROLES}
      lines={lines}
      ellipse={ellipses}
    />
  );
}

type HandOverProps = {
  readonly catalogue: string;
  readonly pair: ReviewPair;
  readonly desk: Desk;
  readonly onClose: () => void;
};

/** Gives a pair to somebody else; for administrators, who alone know the accounts. */
function HandOver({ catalogue, pair, desk, onClose }: HandOverProps) {
  const chosen = useSignal("");
  const people = useCall(catalogue, async (signal) => {
    const { users } = (await callForAll("GET /api/users", {}, { signal })).answer;
    return users.filter(({ id, role }) => role !== "viewer" && id !== user.value?.id);
  });
  const { submit, isBusy, error } = useSubmit(async () => {
    await desk.put(pair.id, { claim: chosen.value });
    onClose();
    desk.move(1);
  });
  return (
    <Dialog title="Hand the pair over" onClose={onClose}>
      <p class="muted">
        Nobody else decides it until that person has, or leaves it for a quarter of an hour.
      </p>
      <Answered call={people}>
        {(users) => (
          <form onSubmit={submit}>
            <Select
              label="To"
              {...bound(chosen)}
              options={[
                { value: "", text: "Choose…" },
                ...users.map(({ id, name, email }) => ({ value: id, text: `${name} (${email})` })),
              ]}
            />
            <ErrorNotice error={error.value} />
            <SubmitRow
              text="Hand over"
              isDisabled={isBusy.value || chosen.value === ""}
              onCancel={onClose}
            />
          </form>
        )}
      </Answered>
    </Dialog>
  );
}

type DeskActionsProps = {
  readonly desk: Desk;
  readonly pair: ReviewPair;
  readonly state: DeskState;
  readonly onOpen: (window: "note" | "hand-over") => void;
};

/** What can be done with a pair, each by a key too. */
function DeskActions({ desk, pair, state, onOpen }: DeskActionsProps) {
  const { queue, decide, putOff, move } = desk;
  const { pairs, at } = queue.value;
  const isOthers = isTaken(pair, user.value?.id);
  return (
    <div class="desk-actions" role="toolbar" aria-label="What to do with the pair">
      <button type="button" data-shortcut="s" disabled={isOthers} onClick={() => decide("same")}>
        Same earthquake <kbd>S</kbd>
      </button>
      <button
        type="button"
        data-shortcut="d"
        disabled={isOthers}
        onClick={() => decide("different")}
      >
        Different <kbd>D</kbd>
      </button>
      <button type="button" data-shortcut="l" disabled={isOthers} onClick={putOff}>
        {state === "open" ? "Later" : "Back to the open ones"} <kbd>L</kbd>
      </button>
      <button
        type="button"
        class="quiet"
        data-shortcut="n"
        disabled={isOthers}
        onClick={() => onOpen("note")}
      >
        {pair.note ? "Note" : "Add a note"} <kbd>N</kbd>
      </button>
      {has("admin") && (
        <button type="button" class="quiet" data-shortcut="h" onClick={() => onOpen("hand-over")}>
          Hand over <kbd>H</kbd>
        </button>
      )}
      <span class="end row">
        <button
          type="button"
          class="quiet sign"
          aria-label="Previous pair"
          disabled={at === 0}
          onClick={() => move(-1)}
        >
          <Icon name="left" />
        </button>
        <span class="nowrap" role="status">
          Pair {count(at + 1)} of {count(pairs.length)}
        </span>
        <button
          type="button"
          class="quiet sign"
          aria-label="Next pair"
          disabled={at + 1 >= pairs.length}
          onClick={() => move(1)}
        >
          <Icon name="right" />
        </button>
      </span>
      {pair.note && <p class="desk-note">Note: {pair.note}</p>}
    </div>
  );
}

type EffectPartProps = { readonly catalogue: string; readonly pair: ReviewPair };

/** What each decision on a pair would change in the merged catalogue. */
function EffectPart({ catalogue, pair }: EffectPartProps) {
  return (
    <section class="panel effects" aria-label="What a decision would change">
      <Effect catalogue={catalogue} pair={pair} type="same" title="If they are the same" />
      <Effect catalogue={catalogue} pair={pair} type="different" title="If they are different" />
    </section>
  );
}

type EffectProps = EffectPartProps & { readonly type: Verdict; readonly title: string };

function Effect({ catalogue, pair, type, title }: EffectProps) {
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
      <h2>{title}</h2>
      <ErrorNotice error={error} />
      {changes === null ? (
        error === null && <p class="muted">Looking…</p>
      ) : changes.length === 0 ? (
        <p class="muted">Nothing changes.</p>
      ) : (
        <ul class="effect-list">
          {changes.map((change) => (
            <li key={change.event.id}>
              <span class="kind">
                <KindMark kind={change.change} />
                {change.change}
              </span>{" "}
              {toldChange(change)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** "2016-11-13 11:02:56, Mw 7.8: Depth 15.1 km → 20 km". */
function toldChange({ event, before }: Change): string {
  const [magnitude] = magnitudeName(event.magnitude, event.magnitude_type);
  const name = `${time(event.time).slice(0, 19)}, ${magnitude}`;
  const lines = before
    ? // Of what it is made is what the decision is about.
      changedLines({ ...before, source_events: null }, { ...event, source_events: null }).map(
        ({ label, from, to }) => `${label} ${from} → ${to}`,
      )
    : [];
  return lines.length === 0 ? name : `${name}: ${lines.join("; ")}`;
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
