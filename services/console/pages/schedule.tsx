import { useMemo } from "preact/hooks";
import { useLocation, useSearchParams } from "wouter-preact";
import { COLUMN_TARGETS } from "#contracts/seismic-event/columns.ts";
import { call } from "../api/call.ts";
import {
  type ColumnRow,
  DETAILS,
  everyOptions,
  everyText,
  firstText,
  formOf,
  LEFT_OUT,
  lookbackText,
  newForm,
  readingOf,
  type Schedule,
  settingsOf,
  WITHDRAWN,
} from "../features/schedules/schedule.ts";
import { BoundsPart } from "../map/bounds-part.tsx";
import { LONGEST_HOURS, type TypedBounds } from "../model/typed-bounds.ts";
import { type Agency, AgencyChoice, agencyName, isAsked, useAgencies } from "../ui/agencies.tsx";
import { Answered, useCall } from "../ui/call.tsx";
import { Field, Select } from "../ui/form/fields.tsx";
import { check, choice, custom, input, optionsOf, useForm } from "../ui/form/form.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { useDraft } from "../ui/form/use-draft.ts";
import { Button, FailedPage, Frame, type PageProps, Panel } from "../ui/page.tsx";
import { sentence } from "../ui/text/format.ts";

/** The settings of a schedule, or of a new one. */
export function Page({ params: { id = "", scheduleId } }: PageProps) {
  const agencies = useAgencies();
  const loaded = useCall(`${id} ${scheduleId}`, async (signal) => {
    const [{ name }, schedule] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      scheduleId === undefined
        ? null
        : call("GET /api/schedules/:id", { params: { id: scheduleId } }, { signal }),
    ]);
    return { name, schedule: schedule?.schedule ?? null };
  });
  const { answer, error, reload } = loaded;
  const title = scheduleId === undefined ? "New schedule" : "Change the schedule";
  if (answer === null && error !== null) {
    return <FailedPage title={title} error={error} retry={reload} />;
  }
  const isThere = agencies.answer !== null && answer !== null;
  return (
    <Frame
      title={answer ? `${title} ${scheduleId === undefined ? "for" : "of"} ${answer.name}` : title}
      back={[`/catalogues/${id}/schedules`, "Back to the schedules"]}
    >
      <Answered<readonly Agency[]> call={{ ...agencies, answer: isThere ? agencies.answer : null }}>
        {(all) =>
          answer && <EditSchedule catalogue={id} agencies={all} schedule={answer.schedule} />
        }
      </Answered>
    </Frame>
  );
}

type EditScheduleProps = {
  readonly catalogue: string;
  readonly agencies: readonly Agency[];
  /** The one that is changed; null: a new one, which may have settings in the address. */
  readonly schedule: Schedule | null;
};

const NO_BOUNDS: TypedBounds = {};
const NO_COLUMNS: readonly ColumnRow[] = [];

const FIELDS = {
  agency: custom("", () => null),
  everyMinutes: custom("60", ({ value, ...shown }) => (
    <Select label="Asked" value={value} options={everyOptions(value)} {...shown} />
  )),
  lookbackHours: input({
    label: "For the events of the last",
    unit: "hours",
    type: "number",
    min: 1,
    max: LONGEST_HOURS,
    required: true,
    hint: (typed) =>
      Number.isInteger(Number(typed)) && Number(typed) > 24
        ? `${sentence(lookbackText(Number(typed)))}: agencies correct events for weeks.`
        : "Agencies correct events for weeks: 720 hours are 30 days.",
  }),
  bounds: custom(NO_BOUNDS, () => null),
  region: custom("", () => null),
  updateExisting: check("Update events that the agency has changed", true),
  withdrawn: choice("Events that the agency has withdrawn", optionsOf(WITHDRAWN), {
    hint: () =>
      "Only events that came from this agency are ever withdrawn, and none where its answer had a gap.",
  }),
  isJoined: check(
    "Add what its rows say to the events that have their ids; rows without such an event are left out",
  ),
  columns: custom(NO_COLUMNS, () => null),
  detail: choice(
    "Detail",
    optionsOf(DETAILS).map(({ value, text }) => ({ value, text: sentence(text) })),
  ),
  push: check("Between the runs, also take at once what the agency sends by itself"),
};

function EditSchedule({ catalogue, agencies, schedule }: EditScheduleProps) {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => (schedule === null ? newForm(query) : formOf(schedule)),
    [schedule?.id],
  );
  const form = useDraft(`schedule ${catalogue} ${schedule?.id ?? query}`, initial);
  const { columns, push } = form.value;
  const asked = form.value.agency || (agencies.find(isAsked)?.id ?? "");
  const { field, set, problemOf, ...submission } = useForm(
    {
      fields: FIELDS,
      of: () => asked,
      run: async (options) => {
        const settings = { ...settingsOf(form.value), agency: asked };
        const isTable = agencies.find(({ id }) => id === asked)?.dialect === "table";
        const { join, columns } = isTable ? readingOf(form.value) : { join: null, columns: null };
        if (schedule === null) {
          const read = { ...(join && { join }), ...(columns && { columns }) };
          const body = { catalogueId: catalogue, ...settings, ...read };
          await call("POST /api/schedules", { body }, options);
        } else {
          const body = { ...settings, join, columns };
          await call("PATCH /api/schedules/:id", { params: { id: schedule.id }, body }, options);
        }
      },
      done: (_, { everyMinutes }) =>
        `${agencyName(agencies, asked)} is asked ${everyText(Number(everyMinutes))} now.`,
      after: () => {
        form.value = initial;
        navigate(`/catalogues/${catalogue}/schedules`);
      },
    },
    form,
  );
  const agency = agencies.find(({ id }) => id === form.value.agency) ?? agencies[0];
  return (
    <form class="sheets" onSubmit={submission.submit}>
      <Panel title="What and how often">
        <AgencyChoice
          agencies={agencies}
          among={({ enabled }) => enabled}
          value={form.value.agency}
          problem={problemOf("agency")}
          onValue={(now) => set({ agency: now })}
        />
        {field("everyMinutes")}
        {field("lookbackHours")}
      </Panel>
      <BoundsPart asked={form.value} set={set} problemOf={problemOf} />
      <Panel title="What is done with them">
        {field("updateExisting")}
        {field("withdrawn")}
        {agency?.dialect === "table" ? (
          <>
            {field("isJoined")}
            <ColumnsPart
              columns={columns}
              onColumns={(now) => set({ columns: now })}
              problemOf={problemOf}
            />
          </>
        ) : (
          field("detail")
        )}
        {(push || (agency && agency.push !== null)) && field("push")}
      </Panel>
      <SubmitRow
        of={submission}
        text={schedule === null ? "Keep it current" : "Save"}
        onCancel={() => navigate(`/catalogues/${catalogue}/schedules`)}
      >
        {schedule === null && (
          <span class="muted">
            The first run comes {firstText(Number(form.value.everyMinutes))}, or at once by “Run
            now”.
          </span>
        )}
      </SubmitRow>
    </form>
  );
}

type ColumnsPartProps = {
  readonly columns: readonly ColumnRow[];
  readonly onColumns: (columns: readonly ColumnRow[]) => void;
  readonly problemOf: (field: string) => string | undefined;
};

const TARGETS = [
  { value: LEFT_OUT, text: "left out" },
  ...COLUMN_TARGETS.map((name) => ({ value: name as string, text: name })),
];

/** What columns of a table are read as, where their names do not tell it. */
function ColumnsPart({ columns, onColumns, problemOf }: ColumnsPartProps) {
  const change = (at: number, to: Partial<ColumnRow>) =>
    onColumns(columns.map((row, i) => (i === at ? { ...row, ...to } : row)));
  return (
    <fieldset class="stack">
      <legend>Columns whose names do not tell what they are</legend>
      {columns.map(({ name, target }, i) => (
        // A row is known by its place: its name is being typed.
        <div key={i} class="row">
          <Field
            label="Column"
            autocomplete="off"
            value={name}
            problem={problemOf(`columns.${name}`)}
            onValue={(typed) => change(i, { name: typed })}
          />
          <Select
            label="is read as"
            value={target}
            options={TARGETS}
            onValue={(chosen) => change(i, { target: chosen, unit: undefined })}
          />
          <Button
            class="quiet"
            aria-label={`Forget ${name || "the column"}`}
            onClick={() => onColumns(columns.filter((_, at) => at !== i))}
            text="Forget"
          />
        </div>
      ))}
      <div class="row">
        <Button
          onClick={() => onColumns([...columns, { name: "", target: "magnitude" }])}
          text="Name a column"
        />
      </div>
    </fieldset>
  );
}
