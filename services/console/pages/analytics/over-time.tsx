import { useSignal } from "@preact/signals";
import { Choices } from "../../ui/choices.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { count, day, decimal } from "../../ui/format.ts";
import { saveText } from "../../ui/save-text.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import {
  type Analysis,
  type AnalysisQuery,
  analysisAddress,
  csvOf,
  readAnalysis,
} from "./analysis.ts";
import type { Catalogue } from "./page.tsx";
import { type Period, PeriodsPlot } from "./periods-plot.tsx";

type OverTimeProps = { readonly catalogue: Catalogue; readonly filters: AnalysisQuery };

/** The magnitude of completeness and b by periods, beginning every half of one. */
export function OverTime({ catalogue, filters }: OverTimeProps) {
  const per = useSignal<"years" | "events">("years");
  const address = analysisAddress(catalogue.id, "completeness", {
    asOf: String(catalogue.version),
    ...filters,
    per: per.value,
  });
  const { answer, error } = useCall<Analysis>(address, (signal) => readAnalysis(address, signal));
  const periods = (answer.value?.series ?? []) as unknown as readonly Period[];
  const csv = csvOf({ series: answer.value?.series ?? [] });
  return (
    <div class="stack">
      <Choices
        legend="Periods of"
        value={per.value}
        options={[
          { value: "years", text: "5 years" },
          { value: "events", text: "500 events" },
        ]}
        onValue={(value) => {
          per.value = value;
        }}
      />
      {error.value !== null && <ErrorNotice error={error.value} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : periods.length === 0 ? (
        <p class="notice warning">{answer.value.reason ?? "There are no periods."}</p>
      ) : (
        <>
          <PeriodsPlot periods={periods} />
          <ScrollArea label="Periods">
            <table class="compact">
              <thead>
                <tr>
                  <th scope="col">From, UTC</th>
                  <th scope="col">To, UTC</th>
                  <th scope="col" class="number">
                    n
                  </th>
                  <th scope="col" class="number">
                    Mc
                  </th>
                  <th scope="col" class="number">
                    b ± σ
                  </th>
                </tr>
              </thead>
              <tbody>
                {periods.map((one) => (
                  <tr key={one.start}>
                    <td>{day(one.start)}</td>
                    <td>{day(one.end)}</td>
                    <td class="number">{count(one.n)}</td>
                    <td class="number">{decimal(one.mc, 1)}</td>
                    <td class="number">
                      {decimal(one.b, 2)} ± {decimal(one.sigma, 2)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
          <p class="row">
            {csv !== null && (
              <button
                type="button"
                class="plain link"
                onClick={() => saveText("completeness-over-time.csv", "text/csv", csv)}
              >
                as CSV
              </button>
            )}
            <a href={address}>as JSON</a>
          </p>
        </>
      )}
    </div>
  );
}
