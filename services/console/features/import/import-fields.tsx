import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { nameProblem } from "../../api/name-problem.ts";
import { startOperation } from "../../jobs/operation.ts";
import { BoundsPart } from "../../map/bounds-part.tsx";
import { type CarriedSettings, newScheduleAddress } from "../../model/schedule-address.ts";
import { AccessSelect } from "../../ui/access.tsx";
import { AgencyChoice, isAsked, useAgencies } from "../../ui/agencies.tsx";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Choices } from "../../ui/form/choices.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { TargetFields } from "../../ui/form/target-fields.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { carriedOf, type ImportForm, importBodyOf, NEW_FORM } from "./import-body.ts";

type ImportFieldsProps = {
  /** Empty for a new catalogue. */
  readonly catalogueId: string;
  /** Gets also what a schedule could go on with. */
  readonly onStarted: (operation: string, carried: CarriedSettings) => void;
};

export function ImportFields({ catalogueId, onStarted }: ImportFieldsProps) {
  const initial = useMemo((): ImportForm => {
    const into = catalogueId === "" ? "new" : "existing";
    return { ...NEW_FORM, catalogueId, into };
  }, [catalogueId]);
  const form = useDraft(`import ${catalogueId}`, initial);
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = importBodyOf(form.value);
    const operation = await attempt(body, (key) =>
      startOperation("POST /api/import/agency", { body }, key),
    );
    const carried = carriedOf(form.value);
    form.value = initial;
    onStarted(operation, carried);
  });
  const part: PartProps = {
    form: form.value,
    set: (change) => {
      form.value = { ...form.value, ...change };
    },
    problemOf: (field) =>
      problemOf(field) ?? (field === "catalogueName" ? nameProblem(error.value) : undefined),
  };
  const isComplete = form.value.into === "new" || form.value.catalogueId !== "";
  return (
    <form class="sheets" onSubmit={submit}>
      <WindowPart {...part} />
      <BoundsPart
        bounds={form.value.bounds}
        onBounds={(bounds) => part.set({ bounds })}
        region={form.value.region}
        onRegion={(region) => part.set({ region })}
        problemOf={problemOf}
      />
      <TargetPart {...part} />
      <ErrorNotice error={error.value} />
      <SubmitRow
        text={isBusy.value ? "Starting…" : "Start the import"}
        isDisabled={isBusy.value || !isComplete}
      >
        {!isComplete && <span class="muted">Choose a catalogue first.</span>}
        {isComplete && form.value.into === "existing" && (
          <Link
            class="button"
            href={newScheduleAddress(form.value.catalogueId, carriedOf(form.value))}
          >
            Keep this current…
          </Link>
        )}
      </SubmitRow>
    </form>
  );
}

function WindowPart({ form, set, problemOf }: PartProps) {
  const agencies = useAgencies().last;
  return (
    <section class="panel">
      <AgencyChoice
        agencies={agencies}
        among={isAsked}
        value={form.agency}
        problem={problemOf("agency")}
        onValue={(agency) => set({ agency })}
      />
      <Choices
        legend="Time"
        value={form.window}
        options={[
          { value: "hours", text: "the last hours" },
          { value: "dates", text: "between two times" },
        ]}
        onValue={(window) => set({ window })}
      />
      <div class="field-grid">
        {form.window === "hours" ? (
          <Field
            label="Last"
            unit="hours"
            type="number"
            step="any"
            min={0}
            required
            value={form.hours}
            problem={problemOf("hours")}
            onValue={(hours) => set({ hours })}
          />
        ) : (
          <>
            <Field
              label="From"
              unit="UTC"
              required
              placeholder="2024-01-31 12:00"
              value={form.startDate}
              problem={problemOf("startDate")}
              onValue={(startDate) => set({ startDate })}
            />
            <Field
              label="To"
              unit="UTC"
              placeholder="now"
              value={form.endDate}
              problem={problemOf("endDate")}
              onValue={(endDate) => set({ endDate })}
            />
          </>
        )}
      </div>
    </section>
  );
}

function TargetPart({ form, set, problemOf }: PartProps) {
  return (
    <section class="panel">
      <TargetFields
        legend="Put them into"
        target={form}
        set={set}
        problemOf={problemOf}
        updates="that the agency has changed"
      >
        <Field
          label="Name"
          hint="If it is left empty: the agency’s name and the time."
          value={form.catalogueName}
          problem={problemOf("catalogueName")}
          onValue={(catalogueName) => set({ catalogueName })}
        />
        <AccessSelect
          value={form.access}
          problem={problemOf("access")}
          onValue={(access) => set({ access })}
        />
      </TargetFields>
      <Select
        label="Detail"
        value={form.detail}
        problem={problemOf("detail")}
        options={[
          { value: "full", text: "full: all that the agency knows" },
          { value: "summary", text: "summary: time, place and magnitude only, much faster" },
        ]}
        onValue={(detail) => set({ detail })}
      />
    </section>
  );
}

/** A part of the form. */
type PartProps = {
  readonly form: ImportForm;
  readonly set: (change: Partial<ImportForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};
