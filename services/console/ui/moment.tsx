import { ago, time, UNKNOWN } from "./format.ts";

/** How long ago, with the time itself on hovering; unknown as a dash, or as `unknown` says. */
export function Moment({
  at,
  unknown = UNKNOWN,
}: {
  readonly at: string | null;
  readonly unknown?: string;
}) {
  if (at === null) return <span class="muted">{unknown}</span>;
  return (
    <time dateTime={at} title={`${time(at)} UTC`} class="nowrap">
      {ago(at)}
    </time>
  );
}
