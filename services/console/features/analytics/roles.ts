import { call } from "../../api/call.ts";
import type { Classes } from "../../drawing/classes.ts";
import { GREY, KIND_COLOURS } from "../../drawing/colours.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import type { Chart } from "../../plots/chart/chart-types.ts";
import { linearOver } from "../../plots/chart/scale.ts";
import { stretchOf, timeBins } from "../../plots/chart/time-bins.ts";

const OPERATION = "GET /api/catalogues/:id/analytics/decluster/:result/events";
export type Label = AnswerOf<typeof OPERATION>["events"][number];
export type Role = Label["role"];

export const ROLES: readonly { readonly value: Role; readonly text: string }[] = [
  { value: "main", text: "main events" },
  { value: "fore", text: "foreshocks" },
  { value: "after", text: "aftershocks" },
];

/** As many as one answer holds. */
const PAGE = 10_000;

/** The cluster and the role of every event of a result. @throws CallError */
export async function readLabels(
  catalogue: string,
  result: string,
  signal: AbortSignal,
): Promise<readonly Label[]> {
  const labels: Label[] = [];
  let cursor: string | null = null;
  do {
    const page: AnswerOf<typeof OPERATION> = await call(
      OPERATION,
      { params: { id: catalogue, result }, query: { limit: PAGE, cursor: cursor ?? undefined } },
      { signal },
    );
    labels.push(...page.events);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return labels;
}

/** Each event's label, in the order of the columns; null for those without one. */
export function labelsInOrder(
  columns: EventColumns,
  labels: readonly Label[],
): readonly (Label | null)[] {
  const byId = new Map(labels.map((label) => [label.id, label]));
  return Array.from({ length: columns.count }, (_, i) => byId.get(columns.idOf(i)) ?? null);
}

/** Classes of the events by their role; the last is of those that were not declustered. */
export function roleClasses(labels: readonly (Label | null)[]): Classes {
  const unknown = ROLES.length;
  return {
    title: "Role",
    isLocal: false,
    classes: [
      ...ROLES.map(({ text }, i) => ({ label: text, colour: KIND_COLOURS[i] ?? GREY })),
      ...(labels.includes(null) ? [{ label: "without one", colour: GREY }] : []),
    ],
    classOf: Uint8Array.from(labels, (label) =>
      label === null ? unknown : ROLES.findIndex(({ value }) => value === label.role),
    ),
  };
}

/** Parts of the time axis after each of which the events so far are told. */
const STEPS = 600;

/** How many events, and how many main ones, there have been up to each time. */
export function cumulativeChart(
  columns: Pick<EventColumns, "time" | "count">,
  labels: readonly (Label | null)[],
  notes: readonly string[],
): Chart {
  const stretch = stretchOf(columns.time);
  const labelled = indexesOf(labels, (label) => label !== null);
  const main = indexesOf(labels, (label) => label?.role === "main");
  const all = sumsOf(columns.time, labelled, stretch);
  return {
    title: "Cumulative number of events",
    notes,
    x: { kind: "time", from: stretch[0], to: stretch[1], label: "Time, UTC" },
    panels: [
      {
        height: 280,
        y: {
          ...linearOver(
            all.map(([, n]) => n),
            { fromZero: true },
          ),
          label: "Events",
        },
        marks: [
          { kind: "line", name: "All events", colour: 0, points: all },
          {
            kind: "line",
            name: "Main events",
            colour: 1,
            points: sumsOf(columns.time, main, stretch),
          },
        ],
      },
    ],
  };
}

function indexesOf(
  labels: readonly (Label | null)[],
  isMeant: (label: Label | null) => boolean,
): Uint32Array {
  return Uint32Array.from(labels.flatMap((label, i) => (isMeant(label) ? [i] : [])));
}

function sumsOf(
  time: Float64Array,
  indexes: Uint32Array,
  [from, to]: readonly [number, number],
): readonly (readonly [at: number, events: number])[] {
  const { counts } = timeBins(time, indexes, [from, to], STEPS);
  let sum = 0;
  const points: [number, number][] = [[from, 0]];
  counts.forEach((n, i) => {
    sum += n;
    points.push([from + ((i + 1) / STEPS) * (to - from), sum]);
  });
  return points;
}
