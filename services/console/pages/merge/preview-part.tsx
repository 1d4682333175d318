import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { count, decimal } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { MergeCountsLine } from "../operations/merge-counts.tsx";
import { MemberName } from "./member-name.tsx";
import type { Preview, Source } from "./merge-body.ts";

type PreviewPartProps = { readonly preview: Preview; readonly sources: readonly Source[] };

/** Rows at a time. */
const SHOWN = 20;

/** What the merge would do, and the pairs that a person should look at. */
export function PreviewPart({ preview, sources }: PreviewPartProps) {
  const { groups, ambiguous, truncated } = preview;
  const tab = useSignal<"ambiguous" | "groups">(ambiguous.length > 0 ? "ambiguous" : "groups");
  const names = {
    ambiguous: `Ambiguous pairs (${count(ambiguous.length)})`,
    groups: `Groups (${count(groups.length)})`,
  };
  return (
    <section class="panel" aria-label="Preview">
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      <div class="row">
        {(["ambiguous", "groups"] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tab.value === name}
            onClick={() => {
              tab.value = name;
            }}
          >
            {names[name]}
          </button>
        ))}
        {truncated && (
          <span class="muted">There are more; the first 1,000 of each are listed.</span>
        )}
      </div>
      {tab.value === "ambiguous" ? (
        <Ambiguous preview={preview} sources={sources} />
      ) : (
        <Groups preview={preview} sources={sources} />
      )}
    </section>
  );
}

function Ambiguous({ preview: { ambiguous }, sources }: PreviewPartProps) {
  if (ambiguous.length === 0) return <p>No pair is in doubt.</p>;
  return (
    <>
      <p class="muted">
        Pairs up to half beyond the thresholds that stay apart, and pairs of one group whose
        magnitudes differ by more than 1.
      </p>
      <Rows
        label="Ambiguous pairs"
        heads={
          <>
            <th scope="col">First</th>
            <th scope="col">Second</th>
            <th scope="col" class="number">
              Δt, s
            </th>
            <th scope="col" class="number">
              Distance, km
            </th>
            <th scope="col" class="number">
              ΔM
            </th>
          </>
        }
        rows={ambiguous.map(
          ({ first, second, time_difference, distance, magnitude_difference }) => (
            <tr key={`${first.event_id} ${second.event_id}`}>
              <td>
                <MemberName member={first} sources={sources} />
              </td>
              <td>
                <MemberName member={second} sources={sources} />
              </td>
              <td class="number">{decimal(time_difference, 2)}</td>
              <td class="number">{decimal(distance, 1)}</td>
              <td class="number">{decimal(magnitude_difference, 2)}</td>
            </tr>
          ),
        )}
      />
    </>
  );
}

function Groups({ preview: { groups }, sources }: PreviewPartProps) {
  if (groups.length === 0) return <p>No two events are one earthquake by these thresholds.</p>;
  return (
    <Rows
      label="Groups"
      heads={
        <>
          <th scope="col">Events</th>
          <th scope="col" class="number">
            Δt, s
          </th>
          <th scope="col" class="number">
            Distance, km
          </th>
          <th scope="col" class="number">
            Score
          </th>
          <th scope="col">Why</th>
        </>
      }
      rows={groups.flatMap(({ reason, members }) =>
        members.map((member, index) => (
          <tr key={member.event_id} class={index === 0 ? undefined : "same-group"}>
            <td>
              <MemberName member={member} sources={sources} />{" "}
              {member.chosen && <span class="badge good">kept</span>}
            </td>
            <td class="number">{decimal(member.time_difference, 2)}</td>
            <td class="number">{decimal(member.distance, 1)}</td>
            <td class="number">{decimal(member.quality_score, 0)}</td>
            <td class="words">{index === 0 && reason}</td>
          </tr>
        )),
      )}
    />
  );
}

type RowsProps = {
  readonly label: string;
  readonly heads: ComponentChildren;
  readonly rows: readonly ComponentChildren[];
};

/** A long table, some rows at a time. */
function Rows({ label, heads, rows }: RowsProps) {
  const shown = useSignal(SHOWN);
  return (
    <>
      <ScrollArea label={label}>
        <table>
          <thead>
            <tr>{heads}</tr>
          </thead>
          <tbody>{rows.slice(0, shown.value)}</tbody>
        </table>
      </ScrollArea>
      {rows.length > shown.value && (
        <div class="row">
          <button
            type="button"
            onClick={() => {
              shown.value *= 5;
            }}
          >
            Show more
          </button>
          <span class="muted">
            {count(shown.value)} of {count(rows.length)} rows
          </span>
        </div>
      )}
    </>
  );
}
