import type { Signal } from "@preact/signals";
import { optional, text } from "./codecs.ts";
import { bound, TextArea } from "./fields.tsx";
import { area } from "./form.tsx";

/** Characters of a reason, at most (contracts/query/parameters.ts). */
const MOST = 500;

type ReasonFieldProps = {
  readonly reason: Signal<string>;
  readonly problem?: string | undefined;
};

/** Why something is changed, for the history and the audit; it may be left out. */
export function ReasonField({ reason, problem }: ReasonFieldProps) {
  return (
    <TextArea
      label="Reason, for the history (optional)"
      max={MOST}
      rows={2}
      problem={problem}
      {...bound(reason)}
    />
  );
}

/** The query of a write: a reason, where one was given. */
export function withReason(reason: Signal<string>): { readonly reason?: string } {
  const why = reason.value.trim();
  return why === "" ? {} : { reason: why };
}

/** The same as a field of a form. */
export const REASON = area(
  { label: "Reason, for the history (optional)", max: MOST, rows: 2 },
  optional(text),
);
