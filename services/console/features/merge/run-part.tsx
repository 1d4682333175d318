import { nameProblem } from "../../api/name-problem.ts";
import { startOperation } from "../../api/start-operation.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { type MergeForm, mergeBodyOf } from "./merge-body.ts";

type RunPartProps = {
  readonly onStarted: (operation: string) => void;
  readonly form: MergeForm;
  readonly name: string;
  readonly onName: (name: string) => void;
};

/** Names the new catalogue, and merges. */
export function RunPart({ form, name, onName, onStarted }: RunPartProps) {
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = mergeBodyOf(form, name);
    onStarted(await attempt(body, (key) => startOperation("POST /api/merge", { body }, key)));
  });
  return (
    <section class="panel" aria-label="Merged catalogue">
      <h2>Merged catalogue</h2>
      <div class="columns">
        <form onSubmit={submit}>
          <Field
            label="Name"
            required
            hint="It is private until you publish it."
            value={name}
            problem={problemOf("name") ?? nameProblem(error.value)}
            onValue={onName}
          />
          <ErrorNotice error={error.value} />
          <SubmitRow text={isBusy.value ? "Starting…" : "Merge"} isDisabled={isBusy.value} />
        </form>
        <p class="muted">
          Each event of the new catalogue names the events that it stands for, where they come from
          and how they scored. The sources stay as they are.
        </p>
      </div>
    </section>
  );
}
