import { Link, useLocation } from "wouter-preact";
import { locatedAt, timeAt } from "../../model/event-columns.ts";
import { type PanelTab, searchOf } from "../../model/work-state.ts";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { given, magnitudeName } from "../../ui/text/digits.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRegion } from "../../ui/text/where.tsx";
import { EventTable } from "./event-table.tsx";
import type { PlotsProps, Shown } from "./work.ts";

const TABS: readonly (readonly [tab: PanelTab, text: string])[] = [
  ["table", "Table"],
  ["magnitudes", "Magnitudes"],
  ["time", "Time"],
  ["section", "Depth section"],
  ["quality", "Quality"],
];

/** Beside the map: the events as a table, or one of the plots of the same events. */
export function SidePanel(shown: Shown) {
  const { state } = shown;
  const [path] = useLocation();
  return (
    <div class="side-panel">
      <nav class="tabs" aria-label="Beside the map">
        {TABS.map(([tab, text]) => (
          <Link
            key={tab}
            href={path + searchOf({ ...state, tab })}
            aria-current={tab === state.tab ? "page" : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      {state.tab === "table" ? <EventTable {...shown} /> : <LatePlots {...shown} tab={state.tab} />}
      <ChosenEvent {...shown} />
    </div>
  );
}

/** The plots' code is loaded when the first is looked at. */
function LatePlots(props: PlotsProps) {
  const { answer, error } = useCall("plots", () => import("./plots.tsx"));
  if (error !== null) return <ErrorNotice error={error} />;
  return answer ? <answer.Plots {...props} /> : <Waiting />;
}

/** The chosen event, and the way to its page. */
function ChosenEvent({ columns, selected, addressOf }: Shown) {
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
