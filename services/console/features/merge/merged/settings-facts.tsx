import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import { decimal } from "../../../ui/text/format.ts";
import { formulaOf } from "../config/formula.ts";
import { LINKAGES, STRATEGIES, type Strategy } from "../config/strategies.ts";

/** How a merge groups and chooses, in words. */
export function SettingsFacts({ config }: { readonly config: MergeConfig }) {
  const { timeThreshold, distanceThreshold, linkage, mergeStrategy, priority } = config;
  const { prefer, minMagnitudeStations, windows = [], conversions = [], follow } = config;
  return (
    <dl class="facts">
      <dt>One earthquake within</dt>
      <dd>
        {timeThreshold} s and {distanceThreshold} km
      </dd>
      {windows.length > 0 && (
        <>
          <dt>Other thresholds</dt>
          <dd>
            {windows.map((window, at) => (
              <div key={at}>{windowText(window)}</div>
            ))}
          </dd>
        </>
      )}
      <dt>Grouping</dt>
      <dd>{LINKAGES.find(({ value }) => value === linkage)?.text}</dd>
      <dt>Solution that is kept</dt>
      <dd>
        {strategyText(mergeStrategy)}
        {mergeStrategy === "priority" && `, ${priority || "the first in the list"}`}
      </dd>
      {prefer && (
        <>
          <dt>Apart from that</dt>
          <dd>
            {Object.entries(prefer).map(([part, by = []]) => (
              <div key={part}>
                {part}: {typeof by === "string" ? strategyText(by) : by.join(", ")}
              </div>
            ))}
          </dd>
        </>
      )}
      {minMagnitudeStations !== undefined && (
        <>
          <dt>Stations of a magnitude</dt>
          <dd>{minMagnitudeStations} at least</dd>
        </>
      )}
      {conversions.length > 0 && (
        <>
          <dt>Magnitudes converted</dt>
          <dd>
            {conversions.map((one) =>
              typeof one === "string" ? (
                <div key={one}>{one}</div>
              ) : (
                <div key={one.name}>
                  {one.name}: {formulaOf(one)}
                </div>
              ),
            )}
          </dd>
        </>
      )}
      <dt>Kept up by itself</dt>
      <dd>{follow ? "yes" : "no"}</dd>
    </dl>
  );
}

function strategyText(strategy: Strategy): string {
  return STRATEGIES.find(({ value }) => value === strategy)?.text ?? strategy;
}

type Window = NonNullable<MergeConfig["windows"]>[number];

/** "of A, B, before 1964-01-01, from magnitude 5: 30 s and 100 km". */
function windowText(window: Window): string {
  const { sources, from, to, minMagnitude, timeThreshold, distanceThreshold } = window;
  const conditions = [
    ...(sources ? [`of ${sources.join(", ")}`] : []),
    ...(from ? [`from ${from.slice(0, 10)}`] : []),
    ...(to ? [`before ${to.slice(0, 10)}`] : []),
    ...(minMagnitude === undefined ? [] : [`from magnitude ${decimal(minMagnitude, 1)}`]),
  ];
  const within =
    timeThreshold === null || distanceThreshold === null
      ? "never one with others"
      : `${timeThreshold} s and ${distanceThreshold} km`;
  return `${conditions.join(", ") || "all"}: ${within}`;
}
