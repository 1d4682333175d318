import type { Signal } from "@preact/signals";
import { bound } from "./field.tsx";
import { TextArea } from "./inputs.tsx";

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
  const text = reason.value.trim();
  return text === "" ? {} : { reason: text };
}
