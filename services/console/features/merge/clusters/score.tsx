import { points, SCORE_MOST, SCORE_PARTS, type ScoreParts } from "./score-parts.ts";

/** What each part gives to a score, in points and as bars. */
export function ScoreBars({ parts }: { readonly parts: ScoreParts }) {
  return (
    <ul class="score-parts">
      {SCORE_PARTS.map(({ name, label, most }) => (
        <li key={name}>
          {label}
          <div>
            <progress value={parts[name]} max={most} aria-hidden="true" />
            <span class="nowrap">
              <strong>{points(parts[name])}</strong> of {most}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** "Score 74.3 of 100". */
export function ScoreTotal({ total }: { readonly total: number }) {
  return (
    <span class="nowrap">
      Score <strong>{points(total)}</strong> of {SCORE_MOST}
    </span>
  );
}
