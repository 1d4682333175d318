import { useMemo } from "preact/hooks";
import { useLocation, useSearchParams } from "wouter-preact";
import { COLUMN_TARGETS } from "#contracts/seismic-event/columns.ts";
import { call } from "../../api/call.ts";
import { BoundsPart } from "../../map/bounds-part.tsx";
import { LONGEST_HOURS } from "../../model/schedule-address.ts";
import { type Agency, AgencyChoice, agencyName, isAsked } from "../../ui/agencies.tsx";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Field } from "../../ui/form/field.tsx";
import { Checkbox, Select } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { sentence } from "../../ui/text/format.ts";
import {
  type ColumnRow,
  DETAILS,
  everyOptions,
  everyText,
  firstText,
  LEFT_OUT,
  lookbackText,
  type Schedule,
  WITHDRAWN,
} from "./schedule.ts";
import { formOf, newForm, readingOf, type ScheduleForm, settingsOf } from "./schedule-form.ts";

type EditScheduleProps = {
  readonly catalogue: string;
  readonly agencies: readonly Agency[];
  /** The one that is changed; null: a new one, which may have settings in the address. */
  readonly schedule: Schedule | null;
};

const NO_TABLE = { join: null, columns: null };

export function EditSchedule({ catalogue, agencies, schedule }: EditScheduleProps) {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => (schedule === null ? newForm(query) : formOf(schedule)),
    [schedule?.id],
  );
  const form = useDraft(`schedule ${catalogue} ${schedule?.id ?? query}`, initial);
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const agency = form.value.agency || (agencies.find(isAsked)?.id ?? "");
    const settings = { ...settingsOf(form.value), agency };
    const isTable = agencies.find(({ id }) => id === agency)?.dialect === "table";
    const { join, columns } = isTable ? readingOf(form.value) : NO_TABLE;
    await attempt({ ...settings, join, columns }, (idempotencyKey) =>
      schedule === null
        ? call(
            "POST /api/schedules",
            {
              body: {
                ...{ catalogueId: catalogue, ...settings },
                ...(join && { join }),
                ...(columns && { columns }),
              },
            },
            { idempotencyKey },
          )
        : call(
            "PATCH /api/schedules/:id",
            { params: { id: schedule.id }, body: { ...settings, join, columns } },
            { idempotencyKey },
          ),
    );
    const often = everyText(settings.everyMinutes);
    notice.done(`${agencyName(agencies, agency)} is asked ${often} now.`);
    form.value = initial;
    navigate(`/catalogues/${catalogue}/schedules`);
  });
  return (
    <form class="sheets" onSubmit={submit}>
      <ScheduleFields
        form={form.value}
        agencies={agencies}
        set={(change) => {
          form.value = { ...form.value, ...change };
        }}
        problemOf={problemOf}
      />
      <ErrorNotice error={error.value} />
      <SubmitRow
        text={schedule === null ? "Keep it current" : "Save"}
        isDisabled={isBusy.value}
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
          <button
            type="button"
            class="quiet"
            aria-label={`Forget ${name || "the column"}`}
            onClick={() => onColumns(columns.filter((_, at) => at !== i))}
          >
            Forget
          </button>
        </div>
      ))}
      <div class="row">
        <button
          type="button"
          onClick={() => onColumns([...columns, { name: "", target: "magnitude" }])}
        >
          Name a column
        </button>
      </div>
    </fieldset>
  );
}

type FieldsProps = {
  readonly form: ScheduleForm;
  readonly agencies: readonly Agency[];
  readonly set: (change: Partial<ScheduleForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

function ScheduleFields({ form, agencies, set, problemOf }: FieldsProps) {
  return (
    <>
      <WhenPart form={form} agencies={agencies} set={set} problemOf={problemOf} />
      <BoundsPart
        bounds={form.bounds}
        onBounds={(bounds) => set({ bounds })}
        region={form.region}
        onRegion={(region) => set({ region })}
        problemOf={problemOf}
      />
      <HowPart form={form} agencies={agencies} set={set} problemOf={problemOf} />
    </>
  );
}

function WhenPart({ form, agencies, set, problemOf }: FieldsProps) {
  const hours = Number(form.lookbackHours);
  return (
    <section class="panel">
      <h2>What and how often</h2>
      <AgencyChoice
        agencies={agencies}
        among={({ enabled }) => enabled}
        value={form.agency}
        problem={problemOf("agency")}
        onValue={(agency) => set({ agency })}
      />
      <Select
        label="Asked"
        value={form.everyMinutes}
        options={everyOptions(form.everyMinutes)}
        problem={problemOf("everyMinutes")}
        onValue={(everyMinutes) => set({ everyMinutes })}
      />
      <Field
        label="For the events of the last"
        unit="hours"
        type="number"
        min={1}
        max={LONGEST_HOURS}
        required
        value={form.lookbackHours}
        problem={problemOf("lookbackHours")}
        hint={
          Number.isInteger(hours) && hours > 24
            ? `${sentence(lookbackText(hours))}: agencies correct events for weeks.`
            : "Agencies correct events for weeks: 720 hours are 30 days."
        }
        onValue={(lookbackHours) => set({ lookbackHours })}
      />
    </section>
  );
}

const WITHDRAWN_OPTIONS = Object.entries(WITHDRAWN).map(([value, text]) => ({
  value: value as Schedule["withdrawn"],
  text,
}));
const DETAIL_OPTIONS = Object.entries(DETAILS).map(([value, text]) => ({
  value: value as Schedule["detail"],
  text: sentence(text),
}));

function HowPart({ form, agencies, set, problemOf }: FieldsProps) {
  const agency = agencies.find(({ id }) => id === form.agency) ?? agencies[0];
  return (
    <section class="panel">
      <h2>What is done with them</h2>
      <Checkbox
        checked={form.updateExisting}
        onChecked={(updateExisting) => set({ updateExisting })}
      >
        Update events that the agency has changed
      </Checkbox>
      <Select
        label="Events that the agency has withdrawn"
        value={form.withdrawn}
        options={WITHDRAWN_OPTIONS}
        problem={problemOf("withdrawn")}
        hint="Only events that came from this agency are ever withdrawn, and none where its answer had a gap."
        onValue={(withdrawn) => set({ withdrawn })}
      />
      {agency?.dialect === "table" ? (
        <>
          <Checkbox checked={form.isJoined} onChecked={(isJoined) => set({ isJoined })}>
            Add what its rows say to the events that have their ids; rows without such an event are
            left out
          </Checkbox>
          <ColumnsPart
            columns={form.columns}
            onColumns={(columns) => set({ columns })}
            problemOf={problemOf}
          />
        </>
      ) : (
        <Select
          label="Detail"
          value={form.detail}
          options={DETAIL_OPTIONS}
          problem={problemOf("detail")}
          onValue={(detail) => set({ detail })}
        />
      )}
      {(form.push || (agency && agency.push !== null)) && (
        <Checkbox checked={form.push} onChecked={(push) => set({ push })}>
          Between the runs, also take at once what the agency sends by itself
        </Checkbox>
      )}
    </section>
  );
}
