import { useSignal } from "@preact/signals";
import { nameProblem } from "../../api/name-problem.ts";
import { startOperation } from "../../api/start-operation.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { READERS } from "../../ui/text/access.ts";
import { type MergeAccess, type MergeForm, mergeBodyOf } from "./config/merge-body.ts";

type RunPartProps = {
  readonly onStarted: (operation: string) => void;
  readonly form: MergeForm;
  readonly name: string;
  readonly onName: (name: string) => void;
};

const AS_SOURCES = "Restricted where one of its sources is, else internal.";

const ACCESSES: readonly { readonly value: MergeAccess; readonly text: string }[] = [
  { value: "", text: "as its sources" },
  ...Object.keys(READERS).map((access) => ({ value: access as MergeAccess, text: access })),
];

/** Names the new catalogue, says who reads it, and merges. */
export function RunPart({ form, name, onName, onStarted }: RunPartProps) {
  const access = useSignal<MergeAccess>("");
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = mergeBodyOf(form, name, access.value);
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
            value={name}
            problem={problemOf("name") ?? nameProblem(error.value)}
            onValue={onName}
          />
          <Select
            label="Access"
            {...bound(access)}
            options={ACCESSES}
            hint={access.value === "" ? AS_SOURCES : READERS[access.value]}
            problem={problemOf("access")}
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
