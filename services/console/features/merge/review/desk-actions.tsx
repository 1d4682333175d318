import { has, user } from "../../../api/session.ts";
import { Icon } from "../../../ui/icon.tsx";
import { count } from "../../../ui/text/format.ts";
import { isTaken, type ReviewPair } from "./queue.ts";
import type { Desk, DeskState } from "./use-desk.ts";

type DeskActionsProps = {
  readonly desk: Desk;
  readonly pair: ReviewPair;
  readonly state: DeskState;
  readonly onOpen: (window: "note" | "hand-over") => void;
};

/** What can be done with a pair, each by a key too. */
export function DeskActions({ desk, pair, state, onOpen }: DeskActionsProps) {
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
