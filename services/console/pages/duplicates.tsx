import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { type Cluster, type ClusterMember, shiftOf } from "../features/merge/clusters/clusters.ts";
import { ClustersPart, type Roles } from "../features/merge/clusters/clusters-part.tsx";
import { distanceKm } from "../model/great-circle.ts";
import type { AnswerOf, Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { ErrorNotice, notice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { ConfirmDialog } from "../ui/form/confirm-dialog.tsx";
import { Field } from "../ui/form/field.tsx";
import { Checkbox } from "../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { THRESHOLDS } from "../ui/form/thresholds.ts";
import { Empty, FailedPage, Waiting } from "../ui/states.tsx";
import { count, counted } from "../ui/text/format.ts";
import { useTitle } from "../ui/use-title.ts";

/** Suspected duplicates within one catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (answer !== null) return <Duplicates catalogue={answer} />;
  if (error === null) return <Waiting />;
  return <FailedPage title="Duplicates" error={error} retry={reload} />;
}

function Duplicates({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, name } = catalogue;
  useTitle(`Duplicates in ${name}`);
  return (
    <section class="page">
      <div class="page-head">
        <h1>Duplicates in {name}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <DuplicatesPart catalogue={catalogue} mayChange={useMayChange(catalogue)} />
    </section>
  );
}

type Found = AnswerOf<"POST /api/catalogues/:id/duplicates">;

type DuplicatesPartProps = {
  readonly catalogue: Catalogue;
  readonly mayChange: boolean;
};

const MAGNITUDES = {
  name: "magnitudeDifference",
  label: "Magnitudes differ by at most",
  unit: "",
  hint: "Left empty, magnitudes are not compared.",
  min: 0,
  max: 10,
} as const;

/** Finds events of one catalogue that may be the same earthquake, and removes those that a person chooses. */
function DuplicatesPart({ catalogue, mayChange }: DuplicatesPartProps) {
  const form = useSignal({ timeThreshold: "2", distanceThreshold: "10", magnitudeDifference: "" });
  const found = useSignal<Found | null>(null);
  const searches = useRef(0);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const { timeThreshold, distanceThreshold, magnitudeDifference: most } = form.value;
    const body = {
      timeThreshold: Number(timeThreshold),
      distanceThreshold: Number(distanceThreshold),
      ...(most.trim() !== "" && { magnitudeDifference: Number(most) }),
    };
    const params = { id: catalogue.id };
    found.value = await call("POST /api/catalogues/:id/duplicates", { params, body });
    searches.current++;
  });
  const set = (name: keyof typeof form.value, value: string) => {
    form.value = { ...form.value, [name]: value };
    found.value = null;
  };
  return (
    <>
      <form class="panel" onSubmit={submit}>
        <p class="muted text">
          Two events of this catalogue are suspected to be one earthquake if they are no farther
          apart than this. Nothing is removed before you have chosen it.
        </p>
        <div class="field-grid wide">
          {[...THRESHOLDS, MAGNITUDES].map(({ name, ...field }) => (
            <Field
              key={name}
              {...field}
              type="number"
              step="any"
              required={name !== "magnitudeDifference"}
              value={form.value[name]}
              problem={problemOf(name)}
              onValue={(value) => set(name, value)}
            />
          ))}
        </div>
        <ErrorNotice error={error.value} />
        <SubmitRow
          text={isBusy.value ? "Looking…" : "Look for duplicates"}
          isDisabled={isBusy.value}
        />
      </form>
      {found.value !== null && (
        <FoundPart
          key={searches.current}
          catalogue={catalogue}
          found={found.value}
          mayChange={mayChange}
          onRemoved={submit}
        />
      )}
    </>
  );
}

const ROLES: Roles = { title: "Event of the group", first: "first", others: "others" };

type FoundPartProps = {
  readonly catalogue: Catalogue;
  readonly found: AnswerOf<"POST /api/catalogues/:id/duplicates">;
  readonly mayChange: boolean;
  readonly onRemoved: (event: Event) => void;
};

/** Suspected duplicates, of which a person chooses those that go. */
function FoundPart({ catalogue, found, mayChange, onRemoved }: FoundPartProps) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const isAsked = useSignal(false);
  const clusters = useMemo(() => clustersOfDuplicates(catalogue.id, found.groups), [found]);
  if (clusters.length === 0) {
    return (
      <Empty
        title="No suspected duplicates"
        text="No two events are this near to each other. Larger thresholds find more."
      />
    );
  }
  const turn = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(chosen.value);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    chosen.value = next;
  };
  const choice = ({ event_id: id }: ClusterMember) => (
    <span class="end field">
      <Checkbox checked={chosen.value.has(id)} onChecked={(isOn) => turn([id], isOn)}>
        remove
      </Checkbox>
    </span>
  );
  const others = ({ members: [, ...rest] }: Cluster) => (
    <div class="row">
      <button
        type="button"
        class="small"
        onClick={() =>
          turn(
            rest.map(({ event_id: id }) => id),
            true,
          )
        }
      >
        Choose all but the first
      </button>
    </div>
  );
  return (
    <section class="stack" aria-label="Suspected duplicates">
      <h2>
        {counted(found.groups.length, "group")}
        {found.truncated && ", and more than these"}
      </h2>
      {mayChange && (
        <div class="desk-actions">
          <button
            type="button"
            class="danger"
            disabled={chosen.value.size === 0}
            onClick={() => (isAsked.value = true)}
          >
            Remove the chosen…
          </button>
          <span class="muted" role="status">
            {counted(chosen.value.size, "event")} chosen
          </span>
        </div>
      )}
      <ClustersPart
        label="Groups"
        clusters={clusters}
        sources={[]}
        roles={ROLES}
        {...(mayChange && { actionsOf: others, memberAction: choice })}
      />
      {isAsked.value && (
        <Remove
          catalogue={catalogue}
          ids={[...chosen.value]}
          onRemoved={onRemoved}
          onClose={() => (isAsked.value = false)}
        />
      )}
    </section>
  );
}

type RemoveProps = {
  readonly catalogue: Catalogue;
  readonly ids: readonly string[];
  readonly onRemoved: (event: Event) => void;
  readonly onClose: () => void;
};

function Remove({ catalogue, ids, onRemoved, onClose }: RemoveProps) {
  const remove = async (idempotencyKey: string) => {
    const { version, removed } = await call(
      "POST /api/catalogues/:id/events/remove",
      { params: { id: catalogue.id }, body: { events: [...ids] } },
      { idempotencyKey },
    );
    notice.done(`${counted(removed, "event")} removed in version ${count(version)}`);
    onRemoved(new Event("submit"));
  };
  return (
    <ConfirmDialog
      title={`Remove ${counted(ids.length, "event")}`}
      action="Remove"
      isDanger
      of={ids}
      run={remove}
      onClose={onClose}
    >
      <p>
        They go with one new version of {catalogue.name}. Earlier versions keep them, and each can
        be restored on its page.
      </p>
    </ConfirmDialog>
  );
}

type Groups = AnswerOf<"POST /api/catalogues/:id/duplicates">["groups"];

/** Suspected duplicates of one catalogue: how the others of a group lie to its first. */
function clustersOfDuplicates(catalogue: string, groups: Groups): readonly Cluster[] {
  return groups.map(({ members }) => {
    const events = members.map((member) => ({ ...member, catalogue_id: catalogue, source: "" }));
    const [first] = events;
    return {
      members: events.map((event) => ({
        ...event,
        isKept: false,
        shift:
          first === undefined || event === first
            ? ""
            : shiftOf(first, event, {
                time_difference: Math.abs(Date.parse(event.time) - Date.parse(first.time)) / 1_000,
                distance: distanceKm(first, event),
              }),
      })),
      why: `${counted(members.length, "event")} that may be one earthquake.`,
    };
  });
}
