import { Link } from "wouter-preact";
import { EvaluationPart } from "../../features/merge/evaluation/evaluation-part.tsx";

/** Thresholds of a merge tried on events whose earthquake is known; what is chosen goes into the merge. */
export function Page() {
  return (
    <section class="page">
      <div class="page-head">
        <h1>Evaluate thresholds</h1>
        <Link class="button quiet end" href="/merge">
          Back to the merge
        </Link>
      </div>
      <p class="muted">
        Some catalogues say which earthquake each event is, for example by the ISC’s event id. With
        two of them you see which thresholds find most of the earthquakes, and join the fewest wrong
        ones.
      </p>
      <EvaluationPart />
    </section>
  );
}
