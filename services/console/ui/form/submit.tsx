import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { CallError } from "../../api/call.ts";
import { ErrorNotice } from "../call.tsx";
import { Button } from "../page.tsx";

export type Submission = {
  readonly submit: (event: Event) => void;
  readonly isBusy: Signal<boolean>;
  /** Why the last attempt failed; null otherwise. */
  readonly error: Signal<unknown>;
  /** What the service said of a field. */
  readonly problemOf: (field: string) => string | undefined;
};

/** A form's submission: once at a time, with what the service refused. */
export function useSubmit(run: () => Promise<void>): Submission {
  const isBusy = useSignal(false);
  const error = useSignal<unknown>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = null;
    run()
      .catch((reason: unknown) => {
        error.value = reason;
        // Once it is drawn: what is wrong with a field is read out with it.
        requestAnimationFrame(() => {
          if (!(form instanceof HTMLFormElement)) return;
          form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        });
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  return { submit, isBusy, error, problemOf: (field) => problemOf(error.value, field) };
}

/** What the service said of a field of what it refused. */
export function problemOf(error: unknown, field: string): string | undefined {
  return error instanceof CallError
    ? error.fields.find((one) => one.field === field)?.message
    : undefined;
}

const NAME_REFUSALS: readonly string[] = ["MISSING_NAME", "NAME_TOO_LONG"];

/** What is wrong with the name of a catalogue, which the service tells by its code and not by a field. */
export function nameProblem(error: unknown): string | undefined {
  return error instanceof CallError && NAME_REFUSALS.includes(error.code)
    ? error.message
    : undefined;
}

/** The fields that the service refused, by their paths in the body. */
export function refusedFields(error: unknown): readonly string[] {
  return error instanceof CallError ? error.fields.map(({ field }) => field) : [];
}

type SubmitRowProps = {
  readonly text: ComponentChildren;
  /** What it says while it is sent. */
  readonly busy?: string;
  /** What it sends: why that failed is told above it, and it is sent once at a time. */
  readonly of?: Pick<Submission, "isBusy" | "error">;
  readonly isDisabled?: boolean;
  /** Its look. */
  readonly class?: string;
  /** Leaves the form without sending it, where it is a window of its own. */
  readonly onCancel?: () => void;
  /** What stands beside the button. */
  readonly children?: ComponentChildren;
};

/** The end of a form: what sends it, and other ways on. */
export function SubmitRow(props: SubmitRowProps) {
  const { text, busy = text, of, isDisabled = false, onCancel, children } = props;
  const isBusy = of?.isBusy.value ?? false;
  return (
    <>
      {of && <ErrorNotice error={of.error.value} />}
      <div class="row">
        <button type="submit" class={props.class ?? "primary"} disabled={isBusy || isDisabled}>
          {isBusy ? busy : text}
        </button>
        {onCancel && <Button onClick={onCancel} text="Cancel" />}
        {children}
      </div>
    </>
  );
}
