import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Icon, type IconName } from "./icon.tsx";
import { listen } from "./listen.ts";

type MenuProps = {
  readonly text: string;
  /** What is read out, where the text alone says too little; contains it. */
  readonly label?: string;
  /** Before the text. */
  readonly icon?: IconName;
  readonly isCurrent?: boolean;
  /** What the list holds can wait until then. */
  readonly onOpen?: () => void;
  /** Links and buttons, each in an `li`. */
  readonly children: ComponentChildren;
};

/** A button that opens a list; Escape, a choice, another page and a click elsewhere close it. */
export function Menu({ text, label, icon, isCurrent = false, onOpen, children }: MenuProps) {
  const element = useRef<HTMLDivElement>(null);
  const { isOpen, button } = useOpenList(element);
  const id = useId();
  // The button is there when a window that was opened from the list gives the focus back.
  const choose = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest("a, button"))) return;
    isOpen.value = false;
    button.current?.focus();
  };
  return (
    <div class="menu" ref={element}>
      <button
        ref={button}
        type="button"
        class={isCurrent ? "quiet current" : "quiet"}
        aria-label={label}
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value;
          if (isOpen.value) onOpen?.();
        }}
      >
        {icon && <Icon name={icon} />}
        {text}
        <Icon name="down" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click what is in the list. */}
      <ul id={id} hidden={!isOpen.value} onClick={choose}>
        {children}
      </ul>
    </div>
  );
}

/** A list that a button opens; Escape and another page close it. @param around closes also what is pressed outside of it */
export function useOpenList(around?: RefObject<HTMLElement | null>) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const [path] = useLocation();
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  // At once with the list: an Escape that follows its opening must not be missed.
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    const leave = ({ target }: Event) => {
      if (!around || (target instanceof Node && around.current?.contains(target))) return;
      isOpen.value = false;
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      isOpen.value = false;
      button.current?.focus();
    };
    return listen({ pointerdown: leave, focusin: leave, keydown: onKey });
  }, [isOpen.value]);
  return { isOpen, button };
}
