import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type AnswerOf, type Catalogue, call } from "../api/call.ts";
import { type Cluster, type ClusterMember, shiftOf } from "../features/merge/clusters/clusters.ts";
import { ClustersPart, type Roles } from "../features/merge/clusters/clusters-part.tsx";
import { distanceKm } from "../model/great-circle.ts";
import { CataloguePage, useMayChange } from "../ui/catalogue-page.tsx";
import { ask } from "../ui/form/ask.ts";
import { number, optional } from "../ui/form/codecs.ts";
import { Checkbox, NUMBER, THRESHOLDS } from "../ui/form/fields.tsx";
import { input, useForm } from "../ui/form/form.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { Button, Empty, type PageProps, useTitle } from "../ui/page.tsx";
import { count, counted } from "../ui/text/format.ts";

/** Suspected duplicates within one catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  return (
    <CataloguePage id={id} title="Duplicates" joint=" in ">
      {(catalogue) => <DuplicatesPart catalogue={catalogue} />}
    </CataloguePage>
  );
}

type Found = AnswerOf<"POST /api/catalogues/:id/duplicates">;

const [TIME, DISTANCE] = THRESHOLDS;
const FIELDS = {
  timeThreshold: input({ ...TIME, start: "2" }, number),
  distanceThreshold: input({ ...DISTANCE, start: "10" }, number),
  magnitudeDifference: input(
    {
      ...NUMBER,
      required: false,
      label: "Magnitudes differ by at most",
      hint: "Left empty, magnitudes are not compared.",
      min: 0,
      max: 10,
    },
    optional(number),
  ),
};

/** Finds events of one catalogue that may be the same earthquake, and removes those that a person chooses. */
function DuplicatesPart({ catalogue }: { readonly catalogue: Catalogue }) {
  const mayChange = useMayChange(catalogue);
  useTitle(`Duplicates in ${catalogue.name}`);
  const found = useSignal<Found | null>(null);
  const searches = useRef(0);
  const params = { id: catalogue.id };
  const { typed, names, field, ...submission } = useForm({
    fields: FIELDS,
    run: (_, body) => call("POST /api/catalogues/:id/duplicates", { params, body }),
    after: (answer) => {
      found.value = answer;
      searches.current++;
    },
  });
  useEffect(() => {
    found.value = null;
  }, [typed.value]);
  return (
    <>
      <form class="panel" onSubmit={submission.submit}>
        <p class="muted text">
          Two events of this catalogue are suspected to be one earthquake if they are no farther
          apart than this. Nothing is removed before you have chosen it.
        </p>
        <div class="field-grid wide">{names.map(field)}</div>
        <SubmitRow of={submission} text="Look for duplicates" busy="Looking…" />
      </form>
      {found.value !== null && (
        <FoundPart
          key={searches.current}
          catalogue={catalogue}
          found={found.value}
          mayChange={mayChange}
          onRemoved={submission.submit}
        />
      )}
    </>
  );
}

const ROLES: Roles = { title: "Event of the group", first: "first", others: "others" };

type FoundPartProps = {
  readonly catalogue: Catalogue;
  readonly found: Found;
  readonly mayChange: boolean;
  readonly onRemoved: (event: Event) => void;
};

/** Suspected duplicates, of which a person chooses those that go. */
function FoundPart({ catalogue, found, mayChange, onRemoved }: FoundPartProps) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
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
      <Button
        class="small"
        onClick={() => {
          const ids = rest.map(({ event_id: id }) => id);
          turn(ids, true);
        }}
        text="Choose all but the first"
      />
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
          <Button
            class="danger"
            disabled={chosen.value.size === 0}
            onClick={() => askToRemove(catalogue, [...chosen.value], onRemoved)}
            text="Remove the chosen…"
          />
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
    </section>
  );
}

/** Removes events that were chosen. */
function askToRemove(
  { id, name }: Catalogue,
  events: string[],
  onRemoved: FoundPartProps["onRemoved"],
): void {
  ask({
    title: `Remove ${counted(events.length, "event")}`,
    text: `They go with one new version of ${name}. Earlier versions keep them, and each can be restored on its page.`,
    action: "Remove",
    isDanger: true,
    run: (options) =>
      call("POST /api/catalogues/:id/events/remove", { params: { id }, body: { events } }, options),
    done: ({ version, removed }) =>
      `${counted(removed, "event")} removed in version ${count(version)}`,
    after: () => onRemoved(new Event("submit")),
  });
}

/** Suspected duplicates of one catalogue: how the others of a group lie to its first. */
function clustersOfDuplicates(catalogue: string, groups: Found["groups"]): readonly Cluster[] {
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
