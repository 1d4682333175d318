import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { createAttempts } from "../../api/attempts.ts";
import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { ROLES, type Role } from "./roles.ts";

type MakeCatalogueProps = { readonly catalogue: Catalogue; readonly result: string };

/** A catalogue of the events of one role. */
export function MakeCatalogue({ catalogue, result }: MakeCatalogueProps) {
  const role = useSignal<Role>("main");
  const name = useSignal(`${catalogue.name}, main events`);
  const [, navigate] = useLocation();
  const attempts = useMemo(createAttempts, [result]);
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const input = {
      params: { id: catalogue.id, result },
      body: { name: name.value, role: role.value },
    };
    const { catalogueId } = await attempts.run(input, (idempotencyKey) =>
      call("POST /api/catalogues/:id/analytics/decluster/:result/catalogue", input, {
        idempotencyKey,
      }),
    );
    notice.done("The catalogue is made; it is private");
    navigate(`/catalogues/${catalogueId}`);
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Make a catalogue</h2>
      <Select
        label="Of the"
        value={role.value}
        options={ROLES}
        onValue={(value) => (role.value = value)}
      />
      <Field
        label="Name"
        required
        value={name.value}
        onValue={(value) => (name.value = value)}
        problem={problemOf("name")}
      />
      {error.value !== null && <ErrorNotice error={error.value} />}
      <SubmitRow text="Make it" isDisabled={isBusy.value} />
    </form>
  );
}
