import type { ComponentChildren } from "preact";

type SubmitRowProps = {
  readonly text: ComponentChildren;
  readonly isDisabled?: boolean;
  /** What stands beside the button. */
  readonly children?: ComponentChildren;
};

/** The end of a form: what sends it, and other ways on. */
export function SubmitRow({ text, isDisabled = false, children }: SubmitRowProps) {
  return (
    <div class="row">
      <button type="submit" class="primary" disabled={isDisabled}>
        {text}
      </button>
      {children}
    </div>
  );
}
