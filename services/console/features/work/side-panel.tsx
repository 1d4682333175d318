import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { type PanelTab, searchOf } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Waiting } from "../../ui/call/waiting.tsx";
import { ChosenEvent } from "./chosen-event.tsx";
import { betweenRows } from "./filters/selections.ts";
import type { PanelProps, PlotsProps } from "./panel-props.ts";
import { EventTable } from "./table/event-table.tsx";

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
