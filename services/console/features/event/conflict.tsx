import { Table } from "../../ui/table.tsx";
import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  shownValue,
} from "../../ui/text/attribute-names.ts";
import { count } from "../../ui/text/format.ts";
import { changesOf, type EventTexts, textsOf } from "./event-changes.ts";

type ConflictProps = {
  /** The event as it was when the editing began. */
  readonly before: EventValues;
  readonly mine: EventTexts;
  readonly theirs: { readonly event: EventValues; readonly version: number };
  /** Goes on from their version, with these texts. */
  readonly onKeep: (texts: EventTexts) => void;
};

/** What somebody else has changed meanwhile, beside what was typed here. */
export function Conflict({ before, mine, theirs, onKeep }: ConflictProps) {
  const now = textsOf(theirs.event);
  const was = textsOf(before);
  const own = changesOf(before, mine);
  const differing = FIELD_NAMES.filter((name) => now[name] !== was[name] || name in own);
  // Untouched fields take what is there now.
  const withMine = Object.fromEntries(
    FIELD_NAMES.map((name) => [name, name in own ? (mine[name] ?? "") : (now[name] ?? "")]),
  );
  return (
    <section class="notice warning conflict" role="alert">
      <div class="stack">
        <p>
          Version {count(theirs.version)} has come while you were editing. Nothing is saved yet;
          compare, and choose what to go on with.
        </p>
        <Table
          label="Both changes"
          kind="compact"
          columns={["Attribute", "Before", "Now, by others", "Yours"]}
        >
          {differing.map((name) => (
            <tr key={name}>
              <th scope="row">{labelOf(name)}</th>
              <td>{shownValue(name, was[name])}</td>
              <td>{shownValue(name, now[name])}</td>
              <td>{name in own ? shownValue(name, mine[name]) : "unchanged"}</td>
            </tr>
          ))}
        </Table>
        <div class="row">
          <button type="button" onClick={() => onKeep(withMine)}>
            Keep my changes
          </button>
          <button type="button" onClick={() => onKeep(now)}>
            Take theirs
          </button>
        </div>
      </div>
    </section>
  );
}
