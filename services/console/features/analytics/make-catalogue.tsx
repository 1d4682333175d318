import { useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { ROLES, type Role } from "./roles.ts";

type MakeCatalogueProps = { readonly catalogue: Catalogue; readonly result: string };

/** A catalogue of the events of one role. */
export function MakeCatalogue({ catalogue, result }: MakeCatalogueProps) {
  const role = useSignal<Role>("main");
  const name = useSignal(`${catalogue.name}, main events`);
  const [, navigate] = useLocation();
  const attempt = useAttempts(result);
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const input = {
      params: { id: catalogue.id, result },
      body: { name: name.value, role: role.value },
    };
    const { catalogueId } = await attempt(input, (idempotencyKey) =>
      call("POST /api/catalogues/:id/analytics/decluster/:result/catalogue", input, {
        idempotencyKey,
      }),
    );
    notice.done("The catalogue is made; it is not public");
    navigate(`/catalogues/${catalogueId}`);
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Make a catalogue</h2>
      <Select label="Of the" {...bound(role)} options={ROLES} />
      <Field label="Name" required {...bound(name)} problem={problemOf("name")} />
      <ErrorNotice error={error.value} />
      <SubmitRow text="Make it" isDisabled={isBusy.value} />
    </form>
  );
}
