import type { ComponentChildren } from "preact";

type SubmitRowProps = {
  readonly text: ComponentChildren;
  readonly isDisabled?: boolean;
  /** Leaves the form without sending it, where it is a window of its own. */
  readonly onCancel?: () => void;
  /** What stands beside the button. */
  readonly children?: ComponentChildren;
};

/** The end of a form: what sends it, and other ways on. */
export function SubmitRow({ text, isDisabled = false, onCancel, children }: SubmitRowProps) {
  return (
    <div class="row">
      <button type="submit" class="primary" disabled={isDisabled}>
        {text}
      </button>
      {onCancel && (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      )}
      {children}
    </div>
  );
}
