import { LongTable } from "../../ui/long-table.tsx";
import { Aligned } from "../../ui/text/aligned.tsx";
import { decimal } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";
import { MemberName } from "./member-name.tsx";
import type { Preview, Source } from "./merge-body.ts";

type GroupsProps = { readonly groups: Preview["groups"]; readonly sources: readonly Source[] };

/** The events that become one, and whose solution is kept. */
export function Groups({ groups, sources }: GroupsProps) {
  if (groups.length === 0) return <p>By these thresholds no two events are the same earthquake.</p>;
  return (
    <LongTable
      label="Groups"
      columns={[
        "Events",
        "Time, UTC",
        "Where",
        { number: "Mag." },
        { number: "Δt, s" },
        { number: "Distance, km" },
        { number: "Score" },
        "Why",
      ]}
      rows={groups.flatMap(({ reason, members }) =>
        members.map((member, index) => (
          <tr key={member.event_id} class={index === 0 ? undefined : "same-group"}>
            <td>
              <MemberName member={member} sources={sources} />{" "}
              {member.chosen && <span class="badge good">kept</span>}
            </td>
            <td class="nowrap">
              <UtcTime at={member.time} length={22} />
            </td>
            <td>
              <Where event={member} />
            </td>
            <td class="number">
              <Aligned value={member.magnitude} measure="magnitude" />
            </td>
            <td class="number">{decimal(member.time_difference, 2)}</td>
            <td class="number">{decimal(member.distance, 1)}</td>
            <td class="number">{decimal(member.quality_score, 0)}</td>
            <td class="words">{index === 0 && reason}</td>
          </tr>
        )),
      )}
    />
  );
}
