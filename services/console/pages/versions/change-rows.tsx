import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { Change, SeismicEvent } from "../../api/diff.ts";
import { decimal, time } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { type EventValues, GROUPS, labelOf, shownValue } from "../event/attribute-names.ts";

type ChangeRowsProps = {
  readonly catalogue: string;
  readonly changes: readonly Change[];
  readonly version: number;
  readonly selected: Signal<number | null>;
};

/** Each change of an event in a row: what it was and what it is. */
export function ChangeRows({ catalogue, changes, selected }: ChangeRowsProps) {
  return (
    <ScrollArea label="Changes">
      <table class="compact changes">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Event</th>
            <th scope="col" class="number">
              Mag.
            </th>
            <th scope="col" class="number">
              Depth, km
            </th>
            <th scope="col">From → to</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ change, event, before }, n) => (
            <tr
              key={event.id}
              class={selected.value === n ? "chosen" : undefined}
              onMouseEnter={() => {
                selected.value = n;
              }}
            >
              <td>
                <span class={`badge ${change}`}>{change}</span>
              </td>
              <td class="nowrap">
                <Link href={`/catalogues/${catalogue}/events/${event.id}`}>
                  {time(event.time).slice(0, 19)}
                </Link>
              </td>
              <td class="number">{decimal(event.magnitude, 2)}</td>
              <td class="number">{decimal(event.depth, 1)}</td>
              <td>{before && <Differing before={before} after={event} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

const NAMES = GROUPS.flatMap(({ names }) => names);
const STRUCTURES = ["focal_mechanisms", "extra", "source_events"] as const;

type DifferingProps = { readonly before: SeismicEvent; readonly after: SeismicEvent };

/** The attributes that differ. */
function Differing({ before, after }: DifferingProps) {
  const [was, is]: [EventValues, EventValues] = [before, after];
  const texts = NAMES.filter((name) => was[name] !== is[name]).map(
    (name) => `${labelOf(name)} ${shownValue(name, was[name])} → ${shownValue(name, is[name])}`,
  );
  const structures = STRUCTURES.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  ).map((name) => `${name.replaceAll("_", " ")} differ`);
  return <>{[...texts, ...structures].join("; ")}</>;
}
