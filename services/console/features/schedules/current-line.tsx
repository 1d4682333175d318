import { Link } from "wouter-preact";
import { agencyName, useAgencies } from "../../ui/agencies.tsx";
import { useAnswer } from "../../ui/call.tsx";
import { counted } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRepeated } from "../../ui/timers.ts";
import { everyText, leastCurrent, type Schedule } from "./schedule.ts";

const EVERY_MS = 60_000;

/** As of when a catalogue has what its agencies have, by the schedule that is most behind; nothing where no schedule asks them. */
export function CurrentLine({ catalogue }: { readonly catalogue: string }) {
  const query = { catalogueId: catalogue };
  const { last, reload } = useAnswer("GET /api/schedules", { query });
  useRepeated(EVERY_MS, reload);
  const schedules = last?.schedules ?? [];
  return schedules.length === 0 ? null : <Line catalogue={catalogue} schedules={schedules} />;
}

function Line(props: { readonly catalogue: string; readonly schedules: readonly Schedule[] }) {
  const { catalogue, schedules } = props;
  const agencies = useAgencies().last;
  const failing = schedules.filter(({ failures, error }) => failures > 0 || error !== null).length;
  const told = leastCurrent(schedules);
  return (
    <div class="row">
      {told && <span class="muted">{currentAs(told, agencyName(agencies, told.agency))}</span>}
      {failing > 0 && <span class="badge bad">{counted(failing, "schedule")} with errors</span>}
      <Link href={`/catalogues/${catalogue}/schedules`}>
        {schedules.length === 1 ? "Schedule" : counted(schedules.length, "schedule")}
      </Link>
    </div>
  );
}

function currentAs({ last_whole: whole, everyMinutes, paused }: Schedule, agency: string) {
  const often = paused ? "paused" : everyText(everyMinutes);
  if (whole === null) return `${agency} has not been read whole yet, ${often}`;
  return (
    <>
      Current as of <When at={whole} length={16} />: last whole reading of {agency}, {often}
    </>
  );
}
