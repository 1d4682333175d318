import { useSignal } from "@preact/signals";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import { call, type Tagged } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { AccessSelect } from "../../ui/form/access-select.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { CHANGER_OPTIONS, changersOf } from "./words.ts";

type AccessFormProps = {
  readonly catalogue: Tagged<Catalogue>;
  readonly reload: () => void;
};

/** Who reads a catalogue and who changes it, as its owners decide. */
export function AccessForm({ catalogue: { answer: catalogue, tag }, reload }: AccessFormProps) {
  const { id, version } = catalogue;
  const access = useSignal<CatalogueAccess>(catalogue.access);
  const editing = useSignal<Editing>(catalogue.editing);
  const withHistory = useSignal(false);
  const attempt = useAttempts();
  const isPublished = access.value === "public" && catalogue.access !== "public";
  const isSame = access.value === catalogue.access && editing.value === catalogue.editing;
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = {
      ...(access.value !== catalogue.access && { access: access.value }),
      ...(editing.value !== catalogue.editing && { editing: editing.value }),
      ...(isPublished && withHistory.value && { publishHistory: true }),
    };
    try {
      await attempt({ body, tag }, (idempotencyKey) =>
        call(
          "PATCH /api/catalogues/:id",
          { params: { id }, body },
          { idempotencyKey, ifMatch: tag },
        ),
      );
    } catch (reason) {
      if (reason instanceof CallError && reason.status === 412) reload();
      throw reason;
    }
    notice.done("The new access is in effect.");
    reload();
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Who reads and changes it</h2>
      <AccessSelect {...bound(access)} />
      {isPublished && version > 1 && (
        <Checkbox
          checked={withHistory.value}
          onChecked={(isChecked) => (withHistory.value = isChecked)}
        >
          The earlier versions too
        </Checkbox>
      )}
      <Select
        label="Changed by"
        {...bound(editing)}
        options={CHANGER_OPTIONS}
        hint={changersOf(access.value, editing.value)}
      />
      <ErrorNotice error={error.value} />
      <SubmitRow text="Save" isDisabled={isSame || isBusy.value} />
    </form>
  );
}
