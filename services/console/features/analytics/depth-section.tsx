import { useMemo } from "preact/hooks";
import { type AnalysisQuery, readAnalysis } from "../../api/analysis.ts";
import { readColumns } from "../../api/columns.ts";
import { EVENT_ROW, eventRow } from "../../api/event-rows.ts";
import { classesOf } from "../../drawing/classes.ts";
import { boundsOf, widthOf } from "../../model/bounds.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { sectionOf } from "../../plots/depth-section.ts";
import { Figure } from "../../plots/figure.tsx";
import { Result } from "../../plots/result.tsx";
import { exaggerationOf, MOST_SHAPES, sectionChart } from "../../plots/section-chart.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { Choices } from "../../ui/form/choices.tsx";
import { csvOf } from "../../ui/text/csv.ts";
import { count, events } from "../../ui/text/format.ts";
import { significant } from "../../ui/text/significant.ts";
import { theme } from "../../ui/theme.ts";
import { ParameterInput } from "./parameter-input.tsx";
import { alongOf, methodOf, PROFILE_FIELDS, profileValue } from "./section-along.ts";
import type { SetParameters } from "./use-parameters.ts";

type DepthSectionProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  readonly query: URLSearchParams;
  readonly set: SetParameters;
};

/** Depths along longitude, latitude or a profile, each event as a disc as on the map. */
export function DepthSection({ catalogue, filters, query, set }: DepthSectionProps) {
  const asked = { asOf: String(catalogue.version), ...filters };
  const key = JSON.stringify([catalogue.id, asked]);
  const { answer, error, reload } = useCall(key, (signal) =>
    readColumns(catalogue.id, asked, [], { signal }),
  );
  const fixed = useCall(`depths ${key}`, (signal) =>
    readAnalysis("depths", { catalogue: catalogue.id, query: asked }, signal),
  );
  const columns = answer.value;
  const centre = useMemo(
    () => (columns ? centreOf(columns) : { latitude: 0, longitude: 0 }),
    [columns],
  );
  const along = alongOf(query, centre);
  const section = useMemo(
    () => columns && sectionOf(columns, along),
    [columns, JSON.stringify(along)],
  );
  const classes = useMemo(() => columns && classesOf(columns, "magnitude", "global", 0), [columns]);
  const method = methodOf(along);
  const chart = useMemo(
    () =>
      columns &&
      section &&
      classes &&
      sectionChart({
        columns,
        section,
        classes,
        theme: theme.value,
        title: "Depth section",
        notes: [
          `${catalogue.name}, version ${count(columns.version)} · ${events(section.index.length)}`,
          method,
        ],
      }),
    [columns, section, classes, theme.value],
  );
  if (error.value !== null) return <ErrorNotice error={error.value} retry={reload} />;
  if (!columns || !section || !chart) return <Waiting />;
  const { index, across, withoutDepth, beside } = section;
  const csv = () =>
    csvOf(
      [...EVENT_ROW, ...(across ? ["along_km", "across_km"] : [])],
      Array.from(index, (i, n) => [
        ...eventRow(columns, i),
        ...(across ? [section.at[n]?.toFixed(3), across[n]?.toFixed(3)] : []),
      ]),
    );
  const kind = typeof along === "object" ? "profile" : along;
  const set1 = (name: string, value: string, how: "push" | "replace") =>
    set({ [name]: value }, how);
  return (
    <div class="analysis">
      <div class="stack">
        <Choices
          legend="Along"
          value={kind}
          options={[
            { value: "longitude", text: "longitude" },
            { value: "latitude", text: "latitude" },
            { value: "profile", text: "a profile" },
          ]}
          onValue={(value) => set1("along", value === "longitude" ? "" : value, "push")}
        />
        {kind === "profile" && (
          <div class="parameters">
            {PROFILE_FIELDS.map(({ name, label, unit }) => (
              <ParameterInput
                key={name}
                parameter={{ name, label, unit }}
                value={profileValue(along, name)}
                onValue={(value, how) => set1(name, value, how)}
              />
            ))}
          </div>
        )}
        <Figure
          chart={chart}
          name="depth-section"
          label={`Depths of ${events(index.length)} along ${kind === "profile" ? "a profile" : kind}`}
          csv={csv}
        />
      </div>
      <Result
        facts={[
          { name: "Drawn", text: events(index.length) },
          { name: "Without a depth, not drawn", text: count(withoutDepth) },
          ...(across ? [{ name: "Farther from the profile", text: count(beside) }] : []),
        ]}
        nothing={index.length === 0 ? "No event has a depth here." : null}
        warnings={[
          ...fixedWarning(fixed.answer.value?.estimate?.fixed),
          ...(index.length > MOST_SHAPES
            ? [
                `More than ${count(MOST_SHAPES)} discs are pixels in the SVG; its axes and texts are lines.`,
              ]
            : []),
        ]}
        how={[
          { name: "Method", text: method },
          { name: "Discs", text: "grow with the magnitude; those without one are hollow" },
          {
            name: "Vertical exaggeration",
            text: across
              ? significant(exaggerationOf(section), 2)
              : "depths and degrees have scales of their own",
          },
        ]}
      />
    </div>
  );
}

type Fixed = { readonly count: number; readonly values: readonly { readonly depth: number }[] };

function fixedWarning(fixed: Fixed | undefined): readonly string[] {
  if (!fixed || fixed.count === 0) return [];
  const values = fixed.values.map(({ depth }) => `${depth} km`).join(", ");
  const at = values === "" ? "" : `, at ${values}`;
  return [
    `Of the events of the filters ${count(fixed.count)} have a depth that was set${at}: a line in the picture need not be in the ground.`,
  ];
}

function centreOf({
  latitude,
  longitude,
}: {
  readonly latitude: Float32Array;
  readonly longitude: Float32Array;
}) {
  const bounds = boundsOf(latitude, longitude, null) ?? { south: 0, north: 0, west: 0, east: 0 };
  const middle = bounds.west + widthOf(bounds) / 2;
  return {
    latitude: (bounds.south + bounds.north) / 2,
    longitude: middle > 180 ? middle - 360 : middle,
  };
}
