import { Table } from "../../../ui/table.tsx";
import { count } from "../../../ui/text/format.ts";
import { balanceOf, bestOf, percent, type Result } from "./evaluation.ts";

type GridProps = {
  readonly results: readonly Result[];
  readonly isChosen: (result: Result) => boolean;
  readonly onChosen: (result: Result) => void;
};

/** Shades of the cells, from the worst to the best. */
const SHADES = 5;

/** How well each pair of thresholds finds the earthquakes: times down, distances across. */
export function Grid({ results, isChosen, onChosen }: GridProps) {
  const times = distinct(results.map(({ timeThreshold }) => timeThreshold));
  const distances = distinct(results.map(({ distanceThreshold }) => distanceThreshold));
  const best = bestOf(results);
  const balances = results.map(balanceOf).filter((one) => one !== null);
  const [least, most] = [Math.min(...balances), Math.max(...balances)];
  const shadeOf = (result: Result) => {
    const balance = balanceOf(result);
    if (balance === null || most === least) return undefined;
    return `heat-${Math.round(((balance - least) / (most - least)) * (SHADES - 1))}`;
  };
  return (
    <Table
      label="Precision and recall"
      kind="compact heat"
      columns={["Time", ...distances.map((km) => `${km} km`)]}
    >
      {times.map((seconds) => (
        <tr key={seconds}>
          <th scope="row" class="nowrap">
            {seconds} s
          </th>
          {distances.map((km) => {
            const result = results.find(
              (one) => one.timeThreshold === seconds && one.distanceThreshold === km,
            );
            return (
              <td key={km} class={result && shadeOf(result)}>
                {result && (
                  <button
                    type="button"
                    class="plain"
                    aria-pressed={isChosen(result)}
                    onClick={() => onChosen(result)}
                  >
                    <Cell result={result} isBest={result === best} />
                  </button>
                )}
              </td>
            );
          })}
        </tr>
      ))}
    </Table>
  );
}

type CellProps = { readonly result: Result; readonly isBest: boolean };

function Cell({ result: { precision, recall, pairs, correct, missed }, isBest }: CellProps) {
  return (
    <span title={`${count(correct)} of ${count(pairs)} pairs are right, ${count(missed)} missed`}>
      <strong>{percent(precision)}</strong> right
      <br />
      <strong>{percent(recall)}</strong> found
      {isBest && (
        <>
          <br />
          <span class="badge good">best balance</span>
        </>
      )}
    </span>
  );
}

function distinct(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}
