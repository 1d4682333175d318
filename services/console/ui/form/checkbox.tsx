import type { ComponentChildren } from "preact";

type CheckboxProps = {
  readonly checked: boolean;
  readonly onChecked: (isChecked: boolean) => void;
  readonly disabled?: boolean;
  /** Takes effect at once. */
  readonly isSwitch?: boolean;
  /** What it says, beside it. */
  readonly children: ComponentChildren;
};

export function Checkbox({ checked, onChecked, disabled, isSwitch, children }: CheckboxProps) {
  return (
    <label class="inline">
      <input
        type="checkbox"
        role={isSwitch ? "switch" : undefined}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      {children}
    </label>
  );
}
