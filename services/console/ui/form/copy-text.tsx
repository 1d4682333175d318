import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { copySelected } from "./copy-selected.ts";

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
