import { AGENCY_LIMITS, agencySlug, REQUESTS_AT_ONCE } from "#contracts/events/agencies.ts";
import { type AnswerOf, call } from "../api/call.ts";
import { checkMessage, isWorking, type Report, readReport } from "../api/readiness.ts";
import { has } from "../api/session.ts";
import { type Agency, useAgencies } from "../ui/agencies.tsx";
import { Answered, useAnswer } from "../ui/call.tsx";
import { ask } from "../ui/form/ask.ts";
import { nullable, number, text } from "../ui/form/codecs.ts";
import { choice, input, optionsOf } from "../ui/form/form.tsx";
import { problemOf } from "../ui/form/submit.tsx";
import { Button, Frame, State } from "../ui/page.tsx";
import { type RowAction, Table } from "../ui/table.tsx";
import { counted, sentence } from "../ui/text/format.ts";
import { Moment } from "../ui/text/moment.tsx";
import { usePolled } from "../ui/timers.ts";

const EVERY_MS = 10_000;

export function Page() {
  const found = useAgencies();
  const { answer: report, ask } = usePolled(EVERY_MS, readReport);
  const isEditor = has("editor");
  const { answer: schedules } = useAnswer("GET /api/schedules", isEditor ? {} : null);
  const reload = () => {
    found.reload();
    ask();
  };
  return (
    <Frame
      title="Agencies"
      head={
        has("admin") && (
          <Button class="primary" onClick={() => askForAgency(null, reload)} text="Add an agency" />
        )
      }
      back={isEditor && ["/import", "Import from one"]}
      intro="Agencies locate earthquakes and give them to others. Editors import from those that are enabled, and keep catalogues current from them."
    >
      <Answered call={found}>
        {(agencies) => {
          const shown = { report, uses: schedules && usesOf(schedules), reload };
          const others = agencies.filter(({ enabled }) => !enabled);
          return (
            <>
              <AgenciesTable
                label="Enabled agencies"
                agencies={agencies.filter(({ enabled }) => enabled)}
                {...shown}
              />
              {others.length > 0 && (
                <>
                  <h2>Not enabled</h2>
                  <p class="muted">
                    Their addresses and habits are known. Nothing is asked of them until an
                    administrator enables them.
                  </p>
                  <AgenciesTable
                    label="Agencies that are not enabled"
                    agencies={others}
                    {...shown}
                  />
                </>
              )}
            </>
          );
        }}
      </Answered>
    </Frame>
  );
}

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
function AgenciesTable({ label, agencies, report, uses, reload }: AgenciesTableProps) {
  const areEnabled = agencies.some(({ enabled }) => enabled);
  return (
    <Table
      label={label}
      kind="folds"
      rows={agencies}
      columns={[
        [
          "Agency",
          ({ name, url }) => (
            <>
              {name}
              <div class="purpose">{url}</div>
            </>
          ),
          "",
          "row",
        ],
        areEnabled && [
          "State",
          (agency: Agency) => (
            <>
              <Health agency={agency} report={report} />
              {agency.push_since !== null && (
                <div class="purpose">
                  its messages come, since <Moment at={agency.push_since} />
                </div>
              )}
            </>
          ),
        ],
        areEnabled &&
          uses !== null && ["Asked by schedules", ({ id }: Agency) => <Use uses={uses} id={id} />],
        [
          "How it answers",
          ({ dialect, push }) =>
            `${DIALECTS[dialect]}${push === null ? "" : "; also sends news by itself"}`,
          "words",
        ],
        ["Limits", limitsOf, "words"],
      ]}
      actions={has("admin") && ((agency) => stepsWith(agency, reload))}
    />
  );
}

/** Whether an agency answers, by the service's own checks. */
function Health({ agency, report }: { readonly agency: Agency; readonly report: Report | null }) {
  const name = agency.kind === "first" ? "agency_api" : `agency:${agency.id}`;
  const check = report?.checks.find((one) => one.name === name);
  if (check?.message === undefined) {
    return <span class="muted">{report === null ? "…" : "not asked yet"}</span>;
  }
  return <State isGood={isWorking(check)}>{checkMessage(name, check.message)}</State>;
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
function stepsWith(agency: Agency, reload: () => void): string | readonly (RowAction | false)[] {
  const { id, name, url, dialect, kind, enabled } = agency;
  if (kind === "first") return "set by the operator";
  const input = { params: { id } };
  const enable = () =>
    ask({
      title: `Enable ${name}`,
      action: "Enable it",
      text: (
        <p>
          Editors can then import from {name} and keep catalogues current from it. This service asks
          it at <span class="code">{url}</span> ({DIALECTS[dialect]}), and only when an import needs
          it.
        </p>
      ),
      run: (options) =>
        call("PATCH /api/agencies/:id", { ...input, body: { enabled: true } }, options),
      done: `Events can be imported from ${name} now.`,
      after: reload,
    });
  const turnOff = () =>
    ask({
      title: `Turn off ${name}`,
      action: "Turn it off",
      text: `Nothing more is imported from ${name}, and schedules that ask it fail until it is enabled again. What has been imported stays.`,
      run: (options) =>
        call("PATCH /api/agencies/:id", { ...input, body: { enabled: false } }, options),
      done: `${name} is not asked any more.`,
      after: reload,
    });
  const remove = () =>
    ask({
      title: `Remove ${name}`,
      action: "Remove it",
      isDanger: true,
      text: "Its address and settings are forgotten. What was imported from it stays. An agency that a schedule asks cannot be removed: end the schedule first.",
      run: (options) => call("DELETE /api/agencies/:id", input, options),
      done: `${name} is removed.`,
      after: reload,
    });
  return [
    enabled ? ["Turn off", name, turnOff] : ["Enable", name, enable],
    ["Change", name, () => askForAgency(agency, reload)],
    kind === "added" && ["Remove", name, remove],
  ];
}

const FIELDS = {
  name: input({
    label: "Name",
    autocomplete: "off",
    required: true,
    // A new agency's id is made of it.
    problemIn: (error) => problemOf(error, "name") ?? problemOf(error, "id"),
  }),
  dialect: choice(
    "How it answers",
    optionsOf(DIALECTS).map(({ value, text }) => ({ value, text: sentence(text) })),
  ),
  url: input({
    label: "Address",
    autocomplete: "off",
    required: true,
    placeholder: "https://example.org/fdsnws/event/1",
    hint: (_, { dialect }) =>
      dialect === "table" ? "Of the file." : "What stands before “/query”.",
  }),
  maxPerRequest: input(
    {
      label: "Most events an answer",
      type: "number",
      min: 1,
      max: AGENCY_LIMITS.perRequest,
      placeholder: "not known",
    },
    nullable(number),
  ),
  requestsAtOnce: input(
    {
      label: "Requests at a time",
      type: "number",
      min: 1,
      max: AGENCY_LIMITS.atOnce,
      required: true,
      start: String(REQUESTS_AT_ONCE),
    },
    number,
  ),
  push: input(
    {
      label: "Address of its messages",
      autocomplete: "off",
      placeholder: "wss://…",
      hint: "Where it sends news by itself, as EMSC does; else empty.",
    },
    nullable(text),
  ),
};

/** An agency's settings; a new one, for null, is enabled at once. */
function askForAgency(agency: Agency | null, reload: () => void): void {
  ask({
    title: agency === null ? "Add an agency" : `Change ${agency.name}`,
    action: agency === null ? "Add the agency" : "Save",
    fields: FIELDS,
    ...(agency && {
      start: {
        name: agency.name,
        url: agency.url,
        dialect: agency.dialect,
        maxPerRequest: String(agency.maxPerRequest ?? ""),
        requestsAtOnce: String(agency.requestsAtOnce),
        push: agency.push ?? "",
      },
    }),
    run: (options, body) =>
      agency === null
        ? call("POST /api/agencies", { body: { id: agencySlug(body.name), ...body } }, options)
        : call("PATCH /api/agencies/:id", { params: { id: agency.id }, body }, options),
    done: (_, { name }) =>
      agency === null ? `Events can be imported from ${name} now.` : `${name} is saved.`,
    after: reload,
  });
}

/** How much an agency is asked for at a time. */
function limitsOf({ maxPerRequest, requestsAtOnce }: Agency): string {
  const atOnce = `${counted(requestsAtOnce, "request")} at a time`;
  return maxPerRequest === null
    ? atOnce
    : `${counted(maxPerRequest, "event")} an answer, ${atOnce}`;
}

/** How an agency is used by the schedules that the caller sees. */
type AgencyUse = {
  readonly schedules: number;
  /** When the last of their runs began; null where none has. */
  readonly lastAsked: string | null;
};

type AgencyUses = ReadonlyMap<string, AgencyUse>;

/** The uses of agencies by their ids. */
function usesOf({ schedules }: AnswerOf<"GET /api/schedules">): AgencyUses {
  const uses = new Map<string, AgencyUse>();
  for (const { agency, last_run: last } of schedules) {
    const { schedules: before, lastAsked } = uses.get(agency) ?? { schedules: 0, lastAsked: null };
    const isLater = last !== null && (lastAsked === null || last > lastAsked);
    uses.set(agency, { schedules: before + 1, lastAsked: isLater ? last : lastAsked });
  }
  return uses;
}
