import { call } from "../../../api/call.ts";
import type { Change } from "../../../api/diff.ts";
import { KindMark } from "../../../map/changes/kind-mark.tsx";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { useCall } from "../../../ui/call/use-call.ts";
import { useSettled } from "../../../ui/call/use-settled.ts";
import { changedLines } from "../../../ui/text/changed-lines.ts";
import { magnitudeName } from "../../../ui/text/digits.ts";
import { time } from "../../../ui/text/format.ts";
import { eventsOf, type Verdict } from "../config/decided.ts";
import { changesOfPair } from "./changes-of-pair.ts";
import type { ReviewPair } from "./queue.ts";

type EffectPartProps = { readonly catalogue: string; readonly pair: ReviewPair };

/** What each decision on a pair would change in the merged catalogue. */
export function EffectPart({ catalogue, pair }: EffectPartProps) {
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
