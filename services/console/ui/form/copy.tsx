import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Button } from "../page.tsx";

/** A text to take along. Where the browser gives no access to its clipboard, it is selected. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <Copied
      label={<label for={id}>{label}</label>}
      text={value}
      select={() => input.current?.select()}
    >
      <input id={id} ref={input} class="code" readOnly value={value} />
    </Copied>
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
  const select = () => element.current && getSelection()?.selectAllChildren(element.current);
  return (
    <Copied label={label && <strong>{label}</strong>} text={text} select={select}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll. */}
      <pre ref={element} class="raw" tabIndex={0}>
        {text}
      </pre>
    </Copied>
  );
}

type CopiedProps = {
  readonly label: ComponentChildren;
  readonly text: string;
  readonly select: () => void;
  /** What shows the text. */
  readonly children: ComponentChildren;
};

function Copied({ label, text, select, children }: CopiedProps) {
  const isCopied = useSignal(false);
  const copy = async () => {
    select();
    isCopied.value = await copySelected(text);
  };
  return (
    <div class="field">
      {label}
      <div class="copy">
        {children}
        <Button onClick={() => void copy()} text="Copy" />
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
