import { useMemo } from "preact/hooks";
import type { Look } from "#contracts/plots/chart.ts";
import { frameWidth } from "#contracts/plots/layout.ts";
import { significant } from "#contracts/plots/numbers.ts";
import { type AnswerTo, readAnalysis } from "../../api/analysis.ts";
import { readColumns } from "../../api/columns.ts";
import { classesOf } from "../../drawing/classes.ts";
import { boundsOf, middleOf } from "../../model/bounds.ts";
import { type EventColumns, locatedAt } from "../../model/event-columns.ts";
import type { Place } from "../../model/great-circle.ts";
import { Figure, Result } from "../../plots/chart.tsx";
import {
  type Along,
  MOST_SHAPES,
  type Profile,
  placeOnProfile,
  type Section,
  sectionChart,
  sectionOf,
} from "../../plots/event-plot.ts";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { Choices } from "../../ui/form/fields.tsx";
import { optionsOf } from "../../ui/form/form.tsx";
import { theme } from "../../ui/style/theme.ts";
import { csvOf } from "../../ui/text/files.ts";
import { filterWords } from "../../ui/text/filter-words.ts";
import { count, counted } from "../../ui/text/format.ts";
import { EVENT_ROW, eventRow } from "./csv.ts";
import { Elsewhere } from "./elsewhere.tsx";
import { ParameterInputs, type PartProps, type SetParameters } from "./parameters.tsx";

/** Depths along longitude, latitude or a profile, each event as a disc as on the map. */
export function DepthSection({ catalogue, filters, query, set }: PartProps) {
  const request = { asOf: String(catalogue.version), ...filters };
  const key = JSON.stringify([catalogue.id, request]);
  const {
    answer: columns,
    error,
    reload,
  } = useCall(key, (signal) => readColumns(catalogue.id, request, [], { signal }));
  const depths = useCall(`depths ${key}`, (signal) =>
    readAnalysis("depths", { catalogue: catalogue.id, query: request }, signal),
  );
  const centre = useMemo(() => centreOf(columns), [columns]);
  const along = alongOf(query, centre);
  const section = useMemo(
    () => columns && sectionOf(columns, along),
    [columns, JSON.stringify(along)],
  );
  if (error !== null) return <ErrorNotice error={error} retry={reload} />;
  if (!columns || !section) return <Waiting />;
  return (
    <div class="analysis">
      <div class="stack">
        <AlongChoice along={along} set={set} />
        <SectionFigure {...{ catalogue, filters, columns, along, section }} />
        <Elsewhere catalogue={catalogue} filters={filters} />
      </div>
      <SectionResult {...{ section, along, columns }} fixed={depths.answer?.estimate?.fixed} />
    </div>
  );
}

type SectionFigureProps = Pick<PartProps, "catalogue" | "filters"> & {
  readonly columns: EventColumns;
  readonly along: Along;
  readonly section: Section;
};

function SectionFigure({ catalogue, filters, columns, along, section }: SectionFigureProps) {
  const { index } = section;
  const isProfile = typeof along === "object";
  const classes = useMemo(() => classesOf(columns, "magnitude", "global", 0), [columns]);
  const chart = useMemo(() => {
    const version = `${catalogue.name}, version ${count(columns.version)}`;
    const of = [version, counted(index.length, "event"), ...filterWords(filters)].join(" · ");
    const notes = [of, methodOf(along)];
    const drawn = { columns, section, along, classes, theme: theme.value, notes };
    return ({ width }: Look) =>
      sectionChart({ ...drawn, title: "Depth section", wide: frameWidth(width) });
  }, [columns, section, classes, JSON.stringify(filters), theme.value]);
  const csv = () =>
    csvOf(
      [...EVENT_ROW, ...(isProfile ? ["along_km", "across_km"] : [])],
      Array.from(index, (i) => [
        ...eventRow(columns, i),
        ...(isProfile ? kilometres(placeOnProfile(along, locatedAt(columns, i))) : []),
      ]),
    );
  return (
    <Figure
      chart={chart}
      name="depth-section"
      label={`Depths of ${counted(index.length, "event")} along ${isProfile ? "a profile" : along}`}
      csv={csv}
    />
  );
}

function kilometres({ along, across }: ReturnType<typeof placeOnProfile>): readonly string[] {
  return [along.toFixed(3), across.toFixed(3)];
}

/** The middle of the events; without any, where the equator meets the prime meridian. */
function centreOf(columns: EventColumns | null): Place {
  const bounds = columns && boundsOf(columns.latitude, columns.longitude, null);
  return bounds ? middleOf(bounds) : { latitude: 0, longitude: 0 };
}

const KINDS = optionsOf({ longitude: "longitude", latitude: "latitude", profile: "a profile" });

/** Chooses along what depths are drawn, and where a profile lies. */
function AlongChoice({ along, set }: { readonly along: Along; readonly set: SetParameters }) {
  const isProfile = typeof along === "object";
  const typed = PROFILE_FIELDS.map(({ name, member }) => {
    return [name, isProfile ? String(Number(along[member].toFixed(4))) : ""] as const;
  });
  return (
    <>
      <Choices
        legend="Along"
        value={isProfile ? "profile" : along}
        options={KINDS}
        onValue={(value) => set({ along: value === "longitude" ? "" : value }, "push")}
      />
      {isProfile && (
        <ParameterInputs parameters={PROFILE_FIELDS} values={Object.fromEntries(typed)} set={set} />
      )}
    </>
  );
}

type FixedDepths = NonNullable<AnswerTo<"depths">["estimate"]>["fixed"];

type SectionResultProps = {
  readonly section: Section;
  readonly along: Along;
  readonly columns: EventColumns;
  /** Depths that were set, once they are known. */
  readonly fixed: FixedDepths | undefined;
};

/** What a section shows, and what to beware of. */
function SectionResult({ section, along, columns, fixed }: SectionResultProps) {
  const isProfile = typeof along === "object";
  const { index, withoutDepth, beside } = section;
  const isLarge = index.length > MOST_SHAPES;
  return (
    <Result
      facts={[
        { name: "Drawn", text: counted(index.length, "event") },
        { name: "Without a depth, not drawn", text: count(withoutDepth) },
        ...(isProfile ? [{ name: "Farther from the profile", text: count(beside) }] : []),
      ]}
      nothing={index.length === 0 ? "No event has a depth here." : null}
      warnings={[...partWarning(columns), ...fixedWarning(fixed), ...(isLarge ? [LARGE] : [])]}
      how={[
        ["Method", methodOf(along)],
        ["Discs", "grow with the magnitude; those without one are hollow"],
        !isProfile && ["Scales", "depths and degrees have their own"],
      ]}
    />
  );
}

const LARGE = `More than ${count(MOST_SHAPES)} discs are pixels in the SVG; its axes and texts are lines.`;

function partWarning({ count: drawn, total }: EventColumns): readonly string[] {
  return total === undefined
    ? []
    : [`Only the ${count(drawn)} largest of ${counted(total, "event")} are here.`];
}

function fixedWarning(fixed: FixedDepths | undefined): readonly string[] {
  if (!fixed || fixed.count === 0) return [];
  const values = fixed.values.map(({ depth }) => `${depth} km`).join(", ");
  const at = values === "" ? "" : `, at ${values}`;
  return [
    `${count(fixed.count)} of these events have a depth that was set${at}, not located: a line of them need not be real.`,
  ];
}

/** The parameters of a profile in the page's address; none of them has a name of the API's filters. */
const PROFILE_FIELDS = [
  { name: "throughLatitude", member: "latitude", label: "Through latitude", unit: "°", most: 90 },
  { name: "throughLongitude", member: "longitude", label: "and longitude", unit: "°", most: 180 },
  { name: "azimuth", member: "azimuth", label: "Azimuth", unit: "° from north", most: 360 },
  { name: "halfWidth", member: "halfWidthKm", label: "Half-width", unit: "km", most: 20_000 },
] as const;

/** Where a profile begins that nobody has described: from west to east, with some width. */
const USUAL = { azimuth: 90, halfWidthKm: 50 } as const;

/** What an address asks for; a profile goes through the events' middle unless it names a point. */
function alongOf(query: URLSearchParams, centre: Place): Along {
  const along = query.get("along");
  if (along === "latitude") return "latitude";
  if (along !== "profile") return "longitude";
  const profile: Profile = { ...USUAL, ...centre };
  const given = PROFILE_FIELDS.flatMap(({ name, member, most }) => {
    const text = query.get(name)?.trim() ?? "";
    const value = text === "" ? Number.NaN : Number(text);
    const isKnown = Math.abs(value) <= most && (name !== "halfWidth" || value > 0);
    return isKnown ? [[member, value]] : [];
  });
  return { ...profile, ...Object.fromEntries(given) };
}

/** The sentence of what is drawn. */
function methodOf(along: Along): string {
  if (typeof along !== "object") return `Depth by ${along}, all events of the filters`;
  const { latitude, longitude, azimuth, halfWidthKm } = along;
  const through = `${significant(latitude)}°, ${significant(longitude)}°`;
  return `Depth by distance along the great circle through ${through} with azimuth ${significant(azimuth)}°, of events within ${significant(halfWidthKm)} km of it`;
}
