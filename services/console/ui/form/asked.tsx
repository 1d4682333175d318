import type { ComponentChildren } from "preact";
import { Dialog, shownWindow } from "./dialog.tsx";
import { type Fields, Form, type FormProps, input } from "./form.tsx";

export type Question<F extends Fields, Answer> = Omit<
  FormProps<F, Answer>,
  "fields" | "above" | "children" | "onCancel"
> & {
  readonly title: string;
  /** What will happen. */
  readonly text?: ComponentChildren;
  readonly fields?: F;
  /** Must be typed before the button works, where nothing brings back what is lost. */
  readonly name?: string | (() => string);
  /** However it ends. */
  readonly onClose?: () => void;
};

/** Opens the window of a question. */
export function openQuestion<F extends Fields, Answer>(question: Question<F, Answer>): void {
  const close = () => {
    shownWindow.value = null;
    question.onClose?.();
  };
  shownWindow.value = <Asked {...question} onClose={close} />;
}

const CONFIRMATION = "confirmation";

function Asked<F extends Fields, Answer>(
  props: Question<F, Answer> & { readonly onClose: () => void },
) {
  const { title, text, isDanger = props.name !== undefined, isReady, onClose, ...plan } = props;
  const name = typeof props.name === "function" ? props.name() : props.name;
  const confirmation = name !== undefined && {
    [CONFIRMATION]: input({ label: `Type “${name}” to confirm`, autocomplete: "off" }),
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...plan}
        fields={{ ...plan.fields, ...confirmation } as F}
        isDanger={isDanger}
        isReady={(typed) =>
          (name === undefined || String(typed[CONFIRMATION]).trim() === name.trim()) &&
          isReady?.(typed) !== false
        }
        above={typeof text === "string" ? <p>{text}</p> : text}
        after={(answer) => {
          onClose();
          plan.after?.(answer);
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
