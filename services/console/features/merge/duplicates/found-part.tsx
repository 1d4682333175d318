import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { call } from "../../../api/call.ts";
import type { Catalogue } from "../../../model/catalogue.ts";
import { distanceKm } from "../../../model/great-circle.ts";
import type { AnswerOf } from "../../../model/operation-types.ts";
import { notice } from "../../../ui/call/notices.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { Checkbox } from "../../../ui/form/checkbox.tsx";
import { ConfirmDialog } from "../../../ui/form/confirm-dialog.tsx";
import { count, counted } from "../../../ui/text/format.ts";
import type { Roles } from "../clusters/cluster-map.tsx";
import { type Cluster, type ClusterMember, shiftOf } from "../clusters/clusters.ts";
import { ClustersPart } from "../clusters/clusters-part.tsx";

const ROLES: Roles = { title: "Event of the group", first: "first", others: "others" };

type FoundPartProps = {
  readonly catalogue: Catalogue;
  readonly found: AnswerOf<"POST /api/catalogues/:id/duplicates">;
  readonly mayChange: boolean;
  readonly onRemoved: (event: Event) => void;
};

/** Suspected duplicates, of which a person chooses those that go. */
export function FoundPart({ catalogue, found, mayChange, onRemoved }: FoundPartProps) {
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
