import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { copySelected } from "./copy-selected.ts";

type CopyFieldProps = { readonly label: string; readonly value: string };

/** A text to take along. Where the browser gives no access to its clipboard, it is selected. */
export function CopyField({ label, value }: CopyFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  const copy = async () => {
    input.current?.select();
    isCopied.value = await copySelected(value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy">
        <input id={id} ref={input} class="code" readOnly value={value} />
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <p class="hint" role="status">
        {isCopied.value ? "Copied" : ""}
      </p>
    </div>
  );
}
