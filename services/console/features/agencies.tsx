import { useSignal } from "@preact/signals";
import { AGENCY_LIMITS, agencySlug, REQUESTS_AT_ONCE } from "#contracts/events/agencies.ts";
import { call } from "../api/call.ts";
import { checkMessage, isWorking, type Report } from "../api/readiness.ts";
import { has } from "../api/session.ts";
import type { AnswerOf } from "../model/operation-types.ts";
import type { Agency } from "../ui/agencies.tsx";
import { ErrorNotice, notice } from "../ui/call/notices.tsx";
import { useAttempts } from "../ui/form/attempts.ts";
import { ConfirmDialog } from "../ui/form/confirm-dialog.tsx";
import { Dialog } from "../ui/form/dialog.tsx";
import { Field } from "../ui/form/field.tsx";
import { Select } from "../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { Table } from "../ui/table.tsx";
import { counted, events, sentence } from "../ui/text/format.ts";
import { Moment } from "../ui/text/moment.tsx";

/** How an agency's event service answers, for people. */
const DIALECTS: Readonly<Record<Agency["dialect"], string>> = {
  fdsn: "FDSN event service",
  geonet: "FDSN event service, as GeoNet’s",
  comcat: "FDSN event service, as the USGS’s ComCat",
  seiscomp: "FDSN event service of SeisComP",
  isc: "event service of the ISC",
  emsc: "FDSN event service, as EMSC’s",
  table: "a file, read as an upload is",
};

const DIALECT_OPTIONS = Object.entries(DIALECTS).map(([value, text]) => ({
  value: value as Agency["dialect"],
  text: sentence(text),
}));

const DIALOGS = {
  enable: EnableAgency,
  turnOff: TurnOffAgency,
  change: AgencyDialog,
  remove: RemoveAgency,
} as const;
type Step = keyof typeof DIALOGS;

type AgenciesTableProps = {
  readonly label: string;
  readonly agencies: readonly Agency[];
  /** Null before it is known. */
  readonly report: Report | null;
  /** Null where the caller does not see schedules. */
  readonly uses: AgencyUses | null;
  readonly reload: () => void;
};

/** Agencies of which all are enabled, or none. */
export function AgenciesTable({ label, agencies, report, uses, reload }: AgenciesTableProps) {
  const open = useSignal<{ readonly step: Step; readonly agency: Agency } | null>(null);
  const areEnabled = agencies.some(({ enabled }) => enabled);
  const OpenDialog = open.value && DIALOGS[open.value.step];
  return (
    <>
      <Table
        label={label}
        kind="folds"
        columns={[
          "Agency",
          areEnabled && "State",
          areEnabled && uses !== null && "Asked by schedules",
          "How it answers",
          "Limits",
          has("admin") && { hidden: "Actions" },
        ]}
      >
        {agencies.map((agency) => (
          <Row
            key={agency.id}
            agency={agency}
            report={report}
            uses={uses}
            onStep={(step) => (open.value = { step, agency })}
          />
        ))}
      </Table>
      {open.value && OpenDialog && (
        <OpenDialog
          agency={open.value.agency}
          reload={reload}
          onClose={() => (open.value = null)}
        />
      )}
    </>
  );
}

type StepsProps = { readonly agency: Agency; readonly onStep: (step: Step) => void };
type RowProps = Pick<AgenciesTableProps, "report" | "uses"> & StepsProps;

function Row({ agency, report, uses, onStep }: RowProps) {
  const { id, name, url, enabled, dialect, push } = agency;
  return (
    <tr>
      <th scope="row">
        {name}
        <div class="purpose">{url}</div>
      </th>
      {enabled && (
        <td>
          <Health agency={agency} report={report} />
          {agency.push_since !== null && (
            <div class="purpose">
              its messages come, since <Moment at={agency.push_since} />
            </div>
          )}
        </td>
      )}
      {enabled && uses !== null && (
        <td>
          <Use uses={uses} id={id} />
        </td>
      )}
      <td class="words">
        {DIALECTS[dialect]}
        {push !== null && "; also sends news by itself"}
      </td>
      <td class="words">{limitsOf(agency)}</td>
      {has("admin") && (
        <td class="number">
          <Steps agency={agency} onStep={onStep} />
        </td>
      )}
    </tr>
  );
}

function Health({ agency, report }: Pick<AgenciesTableProps, "report"> & { agency: Agency }) {
  const health = healthOf(agency, report);
  if (health === null) {
    return <span class="muted">{report === null ? "…" : "not asked yet"}</span>;
  }
  return (
    <span class={health.isGood ? "state good" : "state bad"}>
      <span aria-hidden="true">{health.isGood ? "●" : "▲"}</span>
      <span>{health.text}</span>
    </span>
  );
}

function Use({ uses, id }: { readonly uses: AgencyUses; readonly id: string }) {
  const use = uses.get(id);
  if (use === undefined) return <span class="muted">by none</span>;
  return (
    <>
      {counted(use.schedules, "schedule")},{" "}
      {use.lastAsked === null ? (
        "not asked yet"
      ) : (
        <>
          asked last <Moment at={use.lastAsked} />
        </>
      )}
    </>
  );
}

/** What administrators do with an agency. */
function Steps({ agency: { name, kind, enabled }, onStep }: StepsProps) {
  if (kind === "first") return <span class="muted">set by the operator</span>;
  const button = (step: Step, text: string) => (
    <>
      <button type="button" aria-label={`${text} ${name}…`} onClick={() => onStep(step)}>
        {text}…
      </button>{" "}
    </>
  );
  return (
    <>
      {enabled ? button("turnOff", "Turn off") : button("enable", "Enable")}
      {button("change", "Change")}
      {kind === "added" && button("remove", "Remove")}
    </>
  );
}

type AgencyStepProps = {
  readonly agency: Agency;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function EnableAgency({ agency, reload, onClose }: AgencyStepProps) {
  const { id, name, url, dialect } = agency;
  const enable = async (idempotencyKey: string) => {
    const body = { enabled: true };
    await call("PATCH /api/agencies/:id", { params: { id }, body }, { idempotencyKey });
    notice.done(`Events can be imported from ${name} now.`);
    reload();
  };
  return (
    <ConfirmDialog title={`Enable ${name}`} action="Enable it" run={enable} onClose={onClose}>
      <p>
        Editors can then import from {name} and keep catalogues current from it. This service asks
        it at <span class="code">{url}</span> ({DIALECTS[dialect]}), and only when an import needs
        it.
      </p>
    </ConfirmDialog>
  );
}

function TurnOffAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
  const turnOff = async (idempotencyKey: string) => {
    const body = { enabled: false };
    await call("PATCH /api/agencies/:id", { params: { id }, body }, { idempotencyKey });
    notice.done(`${name} is not asked any more.`);
    reload();
  };
  return (
    <ConfirmDialog title={`Turn off ${name}`} action="Turn it off" run={turnOff} onClose={onClose}>
      <p>
        Nothing more is imported from {name}, and schedules that ask it fail until it is enabled
        again. What has been imported stays.
      </p>
    </ConfirmDialog>
  );
}

function RemoveAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
  const remove = async (idempotencyKey: string) => {
    await call("DELETE /api/agencies/:id", { params: { id } }, { idempotencyKey });
    notice.done(`${name} is removed.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Remove ${name}`}
      action="Remove it"
      isDanger
      run={remove}
      onClose={onClose}
    >
      <p>
        Its address and settings are forgotten. What was imported from it stays. An agency that a
        schedule asks cannot be removed: end the schedule first.
      </p>
    </ConfirmDialog>
  );
}

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

type HealthOfAgency = { readonly isGood: boolean; readonly text: string };

/** Whether an agency answers, by the service's own checks; null where these do not tell. */
function healthOf({ id, kind }: Agency, report: Report | null): HealthOfAgency | null {
  const name = kind === "first" ? "agency_api" : `agency:${id}`;
  const check = report?.checks.find((one) => one.name === name);
  if (check?.message === undefined) return null;
  return { isGood: isWorking(check), text: checkMessage(name, check.message) };
}

/** How much an agency is asked for at a time. */
function limitsOf({ maxPerRequest, requestsAtOnce }: Agency): string {
  const atOnce = `${counted(requestsAtOnce, "request")} at a time`;
  return maxPerRequest === null ? atOnce : `${events(maxPerRequest)} an answer, ${atOnce}`;
}

type Schedule = AnswerOf<"GET /api/schedules">["schedules"][number];

/** How an agency is used by the schedules that the caller sees. */
export type AgencyUse = {
  readonly schedules: number;
  /** When the last of their runs began; null where none has. */
  readonly lastAsked: string | null;
};

type AgencyUses = ReadonlyMap<string, AgencyUse>;

/** The uses of agencies by their ids. */
export async function readUses(signal: AbortSignal): Promise<AgencyUses> {
  return usesOf((await call("GET /api/schedules", {}, { signal })).schedules);
}

function usesOf(schedules: readonly Pick<Schedule, "agency" | "last_run">[]): AgencyUses {
  const uses = new Map<string, AgencyUse>();
  for (const { agency, last_run: last } of schedules) {
    const { schedules: before, lastAsked } = uses.get(agency) ?? { schedules: 0, lastAsked: null };
    const isLater = last !== null && (lastAsked === null || last > lastAsked);
    uses.set(agency, { schedules: before + 1, lastAsked: isLater ? last : lastAsked });
  }
  return uses;
}
