import type { Attempt } from "../../api/attempts.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { AccessSelect } from "../../ui/form/access-select.tsx";
import { Field } from "../../ui/form/field.tsx";
import { TargetFields } from "../../ui/form/target-fields.tsx";
import { problemOf, useSubmit } from "../../ui/form/use-submit.ts";
import { counted } from "../../ui/text/format.ts";
import { type ColumnChoice, columnsOf, missingColumns } from "./columns.ts";
import { InvalidRows, invalidOf } from "./created.tsx";
import { startMaking, type Target } from "./make-events.ts";
import type { Upload } from "./read-upload.ts";

type CreatePartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  readonly target: Target;
  readonly attempt: Attempt;
  /** Why the last attempt ended without events; null otherwise. */
  readonly failure: unknown;
  readonly set: (change: Partial<Target>) => void;
  readonly onStarted: (operation: string) => void;
};

/** Where the rows go: into a new catalogue, or into one that is there. */
export function CreatePart(props: CreatePartProps) {
  const { upload, choice, target, set } = props;
  const { submit, error: refused, isBusy } = useCreation(props);
  const error = refused.value ?? props.failure;
  const { into, catalogueId } = target;
  const missing = missingColumns(upload.headers, choice);
  const hasTarget = into === "new" || catalogueId !== "";
  const rows = counted(upload.rowCount, "row");
  const invalid = invalidOf(error);
  return (
    <form class="panel" onSubmit={submit}>
      <TargetFields
        legend="Put the events into"
        target={target}
        set={set}
        problemOf={(field) => problemOf(error, field)}
        updates="that are there already and differ"
      >
        <Field
          label="Name"
          required
          value={target.name}
          problem={problemOf(error, "name") ?? nameProblem(error)}
          onValue={(name) => set({ name })}
        />
        <AccessSelect
          value={target.access}
          problem={problemOf(error, "access")}
          onValue={(access) => set({ access })}
        />
      </TargetFields>
      <ErrorNotice error={error} />
      {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
      <div class="row">
        <button
          type="submit"
          class="primary"
          disabled={isBusy.value || !hasTarget || missing.length > 0}
        >
          {isBusy.value && "Starting…"}
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

function useCreation({ upload, choice, target, attempt, onStarted }: CreatePartProps) {
  return useSubmit(async () => {
    const columns = columnsOf(choice, upload.headers);
    const rows = { uploadId: upload.uploadId ?? "", columns };
    onStarted(await attempt({ ...target, columns }, (key) => startMaking(target, rows, key)));
  });
}
