import { type Signal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import { type PanelTab, searchOf } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { Waiting } from "../../ui/states.tsx";
import { given, magnitudeName } from "../../ui/text/digits.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRegion } from "../../ui/text/where.tsx";
import { EventTable } from "./event-table.tsx";
import { betweenRows } from "./filters/selections.ts";
import type { PanelProps, PlotsProps } from "./panel-props.ts";

const TABS: readonly { readonly tab: PanelTab; readonly text: string }[] = [
  { tab: "table", text: "Table" },
  { tab: "magnitudes", text: "Magnitudes" },
  { tab: "time", text: "Time" },
  { tab: "section", text: "Depth section" },
  { tab: "quality", text: "Quality" },
];

/** Beside the map: the events as a table, or one of the plots of the same events. */
export function SidePanel(props: PanelProps) {
  const { columns, indexes, selected, state, change, select, addressOf } = props;
  const [path, navigate] = useLocation();
  return (
    <div class="side-panel">
      <nav class="tabs" aria-label="Beside the map">
        {TABS.map(({ tab, text }) => (
          <Link
            key={tab}
            href={path + searchOf({ ...state, tab })}
            aria-current={tab === state.tab ? "page" : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      {state.tab === "table" ? (
        <EventTable
          columns={columns}
          indexes={indexes}
          selected={selected}
          sort={state.sort}
          order={state.order}
          onSort={(sort, order) => change({ sort, order })}
          onRange={(one, other) => {
            const selection = betweenRows(columns, state.sort, one, other);
            if (selection !== null) select(selection, "chosen");
          }}
          onOpen={(index) => navigate(addressOf(index))}
        />
      ) : (
        <LazyPlots {...props} tab={state.tab} />
      )}
      <ChosenEvent columns={columns} selected={selected} addressOf={addressOf} />
    </div>
  );
}

/** The plots' code is loaded when the first is looked at. */
function LazyPlots(props: PlotsProps) {
  const plots = useSignal<ComponentType<PlotsProps> | null>(null);
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    import("./plots.tsx").then(
      ({ Plots }) => {
        plots.value = Plots;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, []);
  if (failure.value !== null) return <ErrorNotice error={failure.value} />;
  const Plots = plots.value;
  return Plots ? <Plots {...props} /> : <Waiting />;
}

type ChosenEventProps = {
  readonly columns: EventColumns;
  readonly selected: Signal<number | null>;
  readonly addressOf: (index: number) => string;
};

/** The chosen event, and the way to its page. */
function ChosenEvent({ columns, selected, addressOf }: ChosenEventProps) {
  const event = selected.value;
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (event === null) return null;
  return (
    <div class="chosen-event" role="status">
      <span>
        <strong>{magnitudeName(columns.magnitude[event], null)[0]}</strong>
        {where !== null && ` · ${where}`} · {given(columns.depth[event], "depth")} km deep ·{" "}
        <When at={timeAt(columns, event)} length={19} />
      </span>
      <Link class="end nowrap" href={addressOf(event)}>
        Open the event
      </Link>
      <button
        type="button"
        class="plain sign"
        aria-label="Choose no event"
        onClick={() => (selected.value = null)}
      >
        ×
      </button>
    </div>
  );
}
