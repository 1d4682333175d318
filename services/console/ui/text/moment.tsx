import { ago, time, UNKNOWN } from "./format.ts";

const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** As the clocks are here. */
export function localTime(iso: string): string {
  return `${local.format(new Date(iso))}, local time`;
}

/** The time in UTC, as the clocks are here, and how long ago: what stands at times on hovering. */
export function tooltipOf(iso: string): string {
  return `${time(iso)} UTC\n${localTime(iso)}\n${ago(iso)}`;
}

type MomentProps = { readonly at: string | null; readonly unknown?: string };

/** How long ago, with the time itself on hovering; unknown as a dash, or as `unknown` says. */
export function Moment({ at, unknown = UNKNOWN }: MomentProps) {
  if (at === null) return <span class="muted">{unknown}</span>;
  return (
    <time dateTime={at} title={tooltipOf(at)} class="nowrap">
      {ago(at)}
    </time>
  );
}

type UtcTimeProps = { readonly at: string; readonly length?: 10 | 16 | 19 | 22 };

/**
 * A time in UTC with the local time on hovering.
 * @param length how many characters of it: 10 are the day, 16 end at the minute, 19 at the second, 22 at its hundredth
 */
export function UtcTime({ at, length }: UtcTimeProps) {
  return (
    <time dateTime={at} title={tooltipOf(at)}>
      {time(at).slice(0, length)}
    </time>
  );
}

/** A time in UTC, named so, and how long ago it was. @param length as of `UtcTime` */
export function When(props: UtcTimeProps) {
  return (
    <span class="nowrap">
      <UtcTime {...props} /> UTC <span class="muted">({ago(props.at)})</span>
    </span>
  );
}
