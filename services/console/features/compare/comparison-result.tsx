import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import { significant } from "#contracts/plots/number-text.ts";
import { Figure } from "../../plots/chart/figure.tsx";
import { Result } from "../../plots/chart/result.tsx";
import { RowsTables } from "../../plots/chart/rows-table.tsx";
import { count } from "../../ui/text/format.ts";
import { type MagnitudePair, magnitudesChart, matchesChart } from "./comparison-charts.ts";
import { binsCsv, linesTable, pairsCsv, residualsTable, typesTable } from "./comparison-tables.ts";

type ComparisonResultProps = {
  readonly answer: ComparisonAnswer;
  readonly names: { readonly a: string; readonly b: string };
  /** Some of the pairs, where they may be seen. */
  readonly pairs: readonly MagnitudePair[];
};

/** What two catalogues have in common, and how their magnitudes compare. */
export function ComparisonResult({ answer, names, pairs }: ComparisonResultProps) {
  const { estimate, parameters, reference } = answer;
  const thresholds = `${significant(parameters.timeThreshold)} s, ${significant(parameters.distanceThreshold)} km`;
  const notes = [
    `a: ${names.a}, version ${count(answer.a.version)} · b: ${names.b}, version ${count(answer.b.version)}`,
    `Events within ${thresholds} · ${count(estimate.matched)} pairs · ${reference}`,
  ];
  const seen =
    pairs.length > 0 ? [`Discs are ${count(pairs.length)} of the pairs, the first by time`] : [];
  const magnitudes = magnitudesChart(answer, pairs, names, [...notes, ...seen]);
  const matches = matchesChart(answer, notes);
  return (
    <div class="analysis">
      <div class="stack">
        {magnitudes && (
          <Figure
            chart={magnitudes}
            name="compared-magnitudes"
            label="Magnitudes of b by those of a, with regression lines"
            csv={pairs.length > 0 ? () => pairsCsv(pairs) : null}
          />
        )}
        <RowsTables
          tables={[
            linesTable(estimate),
            residualsTable(estimate.residuals),
            ...(answer.series.length > 1 ? [typesTable(answer.series)] : []),
          ]}
        />
        {matches && (
          <Figure
            chart={matches}
            name="compared-numbers"
            label="Events of both catalogues by magnitude, in both and in one alone"
            csv={() => binsCsv(answer.bins)}
          />
        )}
      </div>
      <ComparisonNumbers answer={answer} names={names} thresholds={thresholds} />
    </div>
  );
}

type NumbersProps = Pick<ComparisonResultProps, "answer" | "names"> & {
  readonly thresholds: string;
};

function ComparisonNumbers({ answer, names, thresholds }: NumbersProps) {
  const { estimate, parameters, reference, warnings, reason } = answer;
  const sideOf = (side: "a" | "b") => {
    const { version, events } = answer[side];
    return `${names[side]}, version ${count(version)}, ${count(events)} events`;
  };
  return (
    <Result
      facts={[
        { name: "In both", text: count(estimate.matched) },
        { name: "In a alone", text: count(estimate.unmatched.a) },
        { name: "In b alone", text: count(estimate.unmatched.b) },
        ...(estimate.nearThreshold === null
          ? []
          : [
              {
                name: "Pairs near a threshold (beyond 80 % of it)",
                text: `${significant(100 * estimate.nearThreshold, 3)} %`,
              },
            ]),
      ]}
      nothing={reason ? `No lines: ${reason}.` : null}
      warnings={warnings.map(({ message }) => message)}
      how={[
        { name: "a", text: sideOf("a") },
        { name: "b", text: sideOf("b") },
        { name: "Method", text: "Pairs as in a merge; differences are b − a" },
        { name: "Thresholds", text: thresholds },
        { name: "Variance of errors, b by a (η)", text: significant(parameters.eta) },
        { name: "Reference", text: reference },
      ]}
    />
  );
}
