import type { Attempt } from "../../api/attempts.ts";
import { CallError } from "../../api/call-error.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { Field } from "../../ui/form/field.tsx";
import { TargetFields } from "../../ui/form/target-fields.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { counted } from "../../ui/text/format.ts";
import { type ColumnChoice, columnsOf, missingColumns } from "./columns.ts";
import { type Creation, InvalidRows, invalidOf } from "./created.tsx";
import { makeEvents, type Target } from "./make-events.ts";
import type { Upload } from "./read-upload.ts";

type CreatePartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  readonly target: Target;
  readonly attempt: Attempt;
  readonly set: (change: Partial<Target>) => void;
  readonly onColumnsRefused: (error: CallError) => void;
  readonly onCreated: (creation: Creation) => void;
};

/** Where the rows go: into a new catalogue, or into one that is there. */
export function CreatePart(props: CreatePartProps) {
  const { upload, choice, target, set } = props;
  const { submit, error, isBusy, problemOf } = useCreation(props);
  const { into, catalogueId } = target;
  const missing = missingColumns(upload.headers, choice);
  const hasTarget = into === "new" || catalogueId !== "";
  const rows = counted(upload.rowCount, "row");
  const invalid = invalidOf(error.value);
  return (
    <form class="panel" onSubmit={submit}>
      <TargetFields
        legend="Put the events into"
        target={target}
        set={set}
        problemOf={problemOf}
        updates="that are there already and differ"
      >
        <Field
          label="Name"
          required
          value={target.name}
          problem={problemOf("name") ?? nameProblem(error.value)}
          onValue={(name) => set({ name })}
        />
        <Checkbox checked={target.isPublic} onChecked={(isPublic) => set({ isPublic })}>
          Public: everybody can read it, without an account
        </Checkbox>
      </TargetFields>
      <ErrorNotice error={error.value} />
      {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
      {isBusy.value && <progress aria-label="Creating the events" />}
      <div class="row">
        <button
          type="submit"
          class="primary"
          disabled={isBusy.value || !hasTarget || missing.length > 0}
        >
          {isBusy.value && "Creating the events…"}
          {!isBusy.value && (into === "new" ? `Create it from ${rows}` : `Add ${rows}`)}
        </button>
        {missing.length > 0 && (
          <span class="muted">Choose the column of {missing.join(" and ")} first.</span>
        )}
        {!hasTarget && <span class="muted">Choose a catalogue first.</span>}
      </div>
    </form>
  );
}

function useCreation(props: CreatePartProps) {
  const { upload, choice, target, attempt, onColumnsRefused, onCreated } = props;
  return useSubmit(async () => {
    const columns = columnsOf(choice, upload.headers);
    const rows = { uploadId: upload.uploadId ?? "", columns };
    try {
      const made = await attempt({ ...target, columns }, (key) => makeEvents(target, rows, key));
      onCreated({ ...made, rows: upload.data });
    } catch (reason) {
      if (!isAboutColumns(reason)) throw reason;
      onColumnsRefused(reason);
    }
  });
}

function isAboutColumns(error: unknown): error is CallError {
  return (
    error instanceof CallError && error.fields.some(({ field }) => field.startsWith("columns."))
  );
}
