import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";

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

type CopyTextProps = {
  /** Above it; absent where a heading names it. */
  readonly label?: string;
  readonly text: string;
};

/** A text of several lines to take along. */
export function CopyText({ label, text }: CopyTextProps) {
  const element = useRef<HTMLPreElement>(null);
  const isCopied = useSignal(false);
  const copy = async () => {
    if (element.current) getSelection()?.selectAllChildren(element.current);
    isCopied.value = await copySelected(text);
  };
  return (
    <div class="field">
      {label && <strong>{label}</strong>}
      <div class="copy">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll. */}
        <pre ref={element} class="raw" tabIndex={0}>
          {text}
        </pre>
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

/**
 * Copies a text that has just been selected on the page: without https the browser gives its
 * clipboard for what is selected alone.
 * @returns whether it was copied
 */
async function copySelected(text: string): Promise<boolean> {
  if (navigator.clipboard === undefined) return document.execCommand("copy");
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
