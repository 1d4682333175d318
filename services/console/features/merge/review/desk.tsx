import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { user } from "../../../api/session.ts";
import { Empty } from "../../../ui/empty.tsx";
import { Actor } from "../../../ui/person.tsx";
import { counted } from "../../../ui/text/format.ts";
import { Moment } from "../../../ui/text/moment.tsx";
import { DeskActions } from "./desk-actions.tsx";
import { EffectPart } from "./effect-part.tsx";
import { HandOver } from "./hand-over.tsx";
import { NoteDialog } from "./note-dialog.tsx";
import { PairMap } from "./pair-map.tsx";
import { PairTable } from "./pair-table.tsx";
import { differencesOf } from "./pair-words.ts";
import { isTaken, type ReviewPair } from "./queue.ts";
import type { Solutions } from "./solutions.ts";
import { type Desk, type DeskState, useDesk } from "./use-desk.ts";

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
