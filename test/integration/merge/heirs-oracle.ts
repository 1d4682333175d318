import { expect } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";

/** An event of a merged catalogue at a refresh: its members, and the one that was chosen when it was made. */
export type Former = {
  readonly id: string;
  readonly founder: string;
  readonly members: readonly string[];
};

const membersOf = ({ source_events: members }: SeismicEvent) =>
  (members ?? []).map(({ event_id: id }) => id);

/** What is known of the events of a merge. @param before of those that were there before */
export function formersOf(events: readonly SeismicEvent[], before: readonly Former[]): Former[] {
  return events.map((event) => {
    const chosen = event.source_events?.find((one) => one.chosen)?.event_id ?? "";
    const known = before.find(({ id }) => id === event.id);
    return { id: event.id, founder: known?.founder ?? chosen, members: membersOf(event) };
  });
}

/** The rule of infra/decisions/0047, said once more and slowly. */
export function expectedIds(formers: readonly Former[], events: readonly SeismicEvent[]): void {
  const heirs = formers.map((former) => {
    const holds = (event: SeismicEvent, id: string) => membersOf(event).includes(id);
    const shared = (event: SeismicEvent) => former.members.filter((id) => holds(event, id)).length;
    const heir =
      events.find((event) => holds(event, former.founder)) ??
      events.find((event) => shared(event) > former.members.length / 2);
    return { former, heir, shared: heir ? shared(heir) : 0 };
  });
  for (const event of events) {
    const claims = heirs.filter(({ heir }) => heir === event);
    claims.sort((a, b) => b.shared - a.shared || (a.former.id < b.former.id ? -1 : 1));
    const [first] = claims;
    if (first !== undefined) expect(event.id).toBe(first.former.id);
    else expect(formers.map(({ id }) => id)).not.toContain(event.id);
  }
}
