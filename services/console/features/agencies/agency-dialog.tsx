import { useSignal } from "@preact/signals";
import { AGENCY_LIMITS, agencySlug, REQUESTS_AT_ONCE } from "#contracts/events/agencies.ts";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import type { Agency } from "../../ui/call/use-agencies.ts";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { DIALECT_OPTIONS } from "./words.ts";

type AgencyDialogProps = {
  /** The one that is changed; null: a new one. */
  readonly agency: Agency | null;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** An agency's settings; a new one is enabled at once. */
export function AgencyDialog({ agency, reload, onClose }: AgencyDialogProps) {
  const form = useSignal(formOf(agency));
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const settings = settingsOf(form.value);
    await attempt(settings, (idempotencyKey) =>
      agency === null
        ? call(
            "POST /api/agencies",
            { body: { id: agencySlug(settings.name), ...settings } },
            { idempotencyKey },
          )
        : call(
            "PATCH /api/agencies/:id",
            { params: { id: agency.id }, body: settings },
            { idempotencyKey },
          ),
    );
    notice.done(
      agency === null
        ? `Events can be imported from ${settings.name} now.`
        : `${settings.name} is saved.`,
    );
    reload();
    onClose();
  });
  const set = (change: Partial<AgencyForm>) => {
    form.value = { ...form.value, ...change };
  };
  return (
    <Dialog title={agency === null ? "Add an agency" : `Change ${agency.name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <AgencyFields form={form.value} set={set} problemOf={problemOf} />
        <ErrorNotice error={error.value} />
        <SubmitRow
          text={agency === null ? "Add the agency" : "Save"}
          isDisabled={isBusy.value}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

type FieldsProps = {
  readonly form: AgencyForm;
  readonly set: (change: Partial<AgencyForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

function AgencyFields({ form, set, problemOf }: FieldsProps) {
  return (
    <>
      <Field
        label="Name"
        autocomplete="off"
        required
        value={form.name}
        problem={problemOf("name") ?? problemOf("id")}
        onValue={(name) => set({ name })}
      />
      <Select
        label="How it answers"
        value={form.dialect}
        options={DIALECT_OPTIONS}
        problem={problemOf("dialect")}
        onValue={(dialect) => set({ dialect })}
      />
      <Field
        label="Address"
        autocomplete="off"
        required
        placeholder="https://example.org/fdsnws/event/1"
        hint={form.dialect === "table" ? "Of the file." : "What stands before “/query”."}
        value={form.url}
        problem={problemOf("url")}
        onValue={(url) => set({ url })}
      />
      <div class="field-grid">
        <Field
          label="Most events an answer"
          type="number"
          min={1}
          max={AGENCY_LIMITS.perRequest}
          placeholder="not known"
          value={form.maxPerRequest}
          problem={problemOf("maxPerRequest")}
          onValue={(maxPerRequest) => set({ maxPerRequest })}
        />
        <Field
          label="Requests at a time"
          type="number"
          min={1}
          max={AGENCY_LIMITS.atOnce}
          required
          value={form.requestsAtOnce}
          problem={problemOf("requestsAtOnce")}
          onValue={(requestsAtOnce) => set({ requestsAtOnce })}
        />
      </div>
      <Field
        label="Address of its messages"
        autocomplete="off"
        placeholder="wss://…"
        hint="Where it sends news by itself, as EMSC does; else empty."
        value={form.push}
        problem={problemOf("push")}
        onValue={(push) => set({ push })}
      />
    </>
  );
}

/** What the form holds, as it was typed. */
type AgencyForm = {
  readonly name: string;
  readonly url: string;
  readonly dialect: Agency["dialect"];
  readonly maxPerRequest: string;
  readonly requestsAtOnce: string;
  readonly push: string;
};

/** @param agency null for a new one */
function formOf(agency: Agency | null): AgencyForm {
  return {
    name: agency?.name ?? "",
    url: agency?.url ?? "",
    dialect: agency?.dialect ?? "fdsn",
    maxPerRequest: String(agency?.maxPerRequest ?? ""),
    requestsAtOnce: String(agency?.requestsAtOnce ?? REQUESTS_AT_ONCE),
    push: agency?.push ?? "",
  };
}

function settingsOf({ name, url, dialect, ...typed }: AgencyForm) {
  const { maxPerRequest, requestsAtOnce, push } = typed;
  return {
    name: name.trim(),
    url: url.trim(),
    dialect,
    maxPerRequest: maxPerRequest.trim() === "" ? null : Number(maxPerRequest),
    requestsAtOnce: Number(requestsAtOnce),
    push: push.trim() === "" ? null : push.trim(),
  };
}
