import type { ComponentChildren } from "preact";
import { given, magnitudeName } from "../../../ui/text/digits.ts";
import { ago, UNKNOWN } from "../../../ui/text/format.ts";
import { UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import type { Source } from "../config/merge-body.ts";
import type { Cluster, ClusterMember } from "./clusters.ts";
import { MemberName } from "./member-name.tsx";
import { points, SCORE_MOST, SCORE_PARTS, type ScoreParts } from "./score-parts.ts";

type ClusterEntryProps = {
  readonly cluster: Cluster;
  readonly sources: readonly Source[];
  /** What is said of the member that is kept. */
  readonly kept: string;
  readonly isChosen: boolean;
  readonly onChosen: () => void;
  /** What can be done with one of its events. */
  readonly memberAction?: ((member: ClusterMember) => ComponentChildren) | undefined;
  /** What can be done with it. */
  readonly children?: ComponentChildren;
};

/** Events that belong together: when and where, each with its score, and why they are here. */
export function ClusterEntry(props: ClusterEntryProps) {
  const { cluster, sources, kept, isChosen, onChosen, memberAction, children } = props;
  const [first] = cluster.members;
  if (first === undefined) return null;
  return (
    <li class="cluster" aria-current={isChosen ? "true" : undefined}>
      <p class="cluster-head">
        <button type="button" class="plain link" title="Show it on the map" onClick={onChosen}>
          <span>
            <UtcTime at={first.time} length={19} /> UTC
          </span>
        </button>
        <strong>
          <Where event={first} />
        </strong>
        <span class="muted">{ago(first.time)}</span>
      </p>
      <p>{cluster.why}</p>
      <ul class="cluster-members">
        {cluster.members.map((member) => (
          <Member key={member.event_id} member={member} sources={sources} kept={kept}>
            {memberAction?.(member)}
          </Member>
        ))}
      </ul>
      {children}
    </li>
  );
}

type MemberProps = {
  readonly member: ClusterMember;
  readonly sources: readonly Source[];
  readonly kept: string;
  readonly children: ComponentChildren;
};

function Member({ member, sources, kept, children }: MemberProps) {
  const { magnitude, depth, shift, isKept, score } = member;
  const [name] = magnitudeName(magnitude, null);
  const deep = given(depth, "depth");
  return (
    <li>
      <div class="cluster-member">
        <MemberName member={member} sources={sources} />
        {isKept && <span class="badge good">{kept}</span>}
        <strong class="nowrap">{name}</strong>
        <span class="nowrap">{deep === UNKNOWN ? "depth unknown" : `${deep} km deep`}</span>
        {shift !== "" && <span class="muted">{shift}</span>}
        {children}
        {score && (
          <span class="end">
            <ScoreTotal total={score.total} />
          </span>
        )}
      </div>
      {score && <ScoreBars parts={score.parts} />}
    </li>
  );
}

/** What each part gives to a score, in points and as bars. */
function ScoreBars({ parts }: { readonly parts: ScoreParts }) {
  return (
    <ul class="score-parts">
      {SCORE_PARTS.map(({ name, label, most }) => (
        <li key={name}>
          {label}
          <div>
            <progress value={parts[name]} max={most} aria-hidden="true" />
            <span class="nowrap">
              <strong>{points(parts[name])}</strong> of {most}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** "Score 74.3 of 100". */
function ScoreTotal({ total }: { readonly total: number }) {
  return (
    <span class="nowrap">
      Score <strong>{points(total)}</strong> of {SCORE_MOST}
    </span>
  );
}
