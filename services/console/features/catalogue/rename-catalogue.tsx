import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { bound } from "../../ui/form/bound.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { problemOf } from "../../ui/form/use-submit.ts";
import type { ChangeDialogProps } from "./catalogue-change.ts";
import { ChangesOfOthers } from "./changes-of-others.tsx";
import { useSeenCatalogue } from "./use-seen-catalogue.ts";

export function RenameCatalogue({ catalogue, onChanged, onClose }: ChangeDialogProps) {
  const { id } = catalogue;
  const typed = useSignal(catalogue.name);
  const now = useSeenCatalogue(id);
  const refusal = useSignal<unknown>(null);
  const rename = async () => {
    const body = { name: typed.value };
    refusal.value = null;
    try {
      await now.write(body, (options) =>
        call("PATCH /api/catalogues/:id", { params: { id }, body }, options),
      );
    } catch (reason) {
      refusal.value = reason;
      throw reason;
    }
    onChanged({ name: typed.value.trim() });
  };
  return (
    <ConfirmDialog
      title="Rename the catalogue"
      action="Rename"
      isReady={now.seen !== null}
      run={rename}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        {...bound(typed)}
        problem={problemOf(refusal.value, "name") ?? nameProblem(refusal.value)}
      />
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}
