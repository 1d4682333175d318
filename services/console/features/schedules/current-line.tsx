import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { agencyName, useAgencies } from "../../ui/agencies.tsx";
import { useCall } from "../../ui/call.tsx";
import { counted } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRepeated } from "../../ui/timers.ts";
import { everyText, leastCurrent, type Schedule } from "./schedule.ts";

const EVERY_MS = 60_000;

type CurrentLineProps = { readonly catalogue: string };

/** As of when a catalogue has what its agencies have, by the schedule that is most behind; nothing where no schedule asks them. */
export function CurrentLine({ catalogue }: CurrentLineProps) {
  const { last, reload } = useCall(catalogue, async (signal) => {
    const query = { catalogueId: catalogue };
    return (await call("GET /api/schedules", { query }, { signal })).schedules;
  });
  useRepeated(EVERY_MS, reload);
  const schedules = last ?? [];
  return schedules.length === 0 ? null : <Line catalogue={catalogue} schedules={schedules} />;
}

type LineProps = CurrentLineProps & { readonly schedules: readonly Schedule[] };

function Line({ catalogue, schedules }: LineProps) {
  const agencies = useAgencies().last;
  const failing = schedules.filter(({ failures, error }) => failures > 0 || error !== null).length;
  const told = leastCurrent(schedules);
  return (
    <div class="row">
      {told && <AsOf schedule={told} agency={agencyName(agencies, told.agency)} />}
      {failing > 0 && <span class="badge bad">{counted(failing, "schedule")} with errors</span>}
      <Link href={`/catalogues/${catalogue}/schedules`}>
        {schedules.length === 1 ? "Schedule" : counted(schedules.length, "schedule")}
      </Link>
    </div>
  );
}

type AsOfProps = { readonly schedule: Schedule; readonly agency: string };

function AsOf({ schedule: { last_whole: whole, everyMinutes, paused }, agency }: AsOfProps) {
  const often = paused ? "paused" : everyText(everyMinutes);
  if (whole === null) {
    return (
      <span class="muted">
        {agency} has not been read whole yet, {often}
      </span>
    );
  }
  return (
    <span class="muted">
      Current as of <When at={whole} length={16} />: last whole reading of {agency}, {often}
    </span>
  );
}
