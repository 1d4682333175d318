import { type ComponentChildren, render } from "preact";
import { Dialog } from "./dialog.tsx";
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
  readonly name?: string;
  /** However it ends. */
  readonly onClose?: () => void;
};

/** Opens the window of a question. */
export function openQuestion<F extends Fields, Answer>(question: Question<F, Answer>): void {
  openWindow((close) => (
    <Asked
      {...question}
      onClose={() => {
        close();
        question.onClose?.();
      }}
    />
  ));
}

const CONFIRMATION = "confirmation";

function Asked<F extends Fields, Answer>(
  props: Question<F, Answer> & { readonly onClose: () => void },
) {
  const { title, text, name, isDanger = name !== undefined, isReady, onClose, ...plan } = props;
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

/**
 * Shows a window over the page, until it is closed or another page is there. It stands beside the
 * page, whose scripts alone need it.
 */
function openWindow(content: (close: () => void) => ComponentChildren): void {
  const place = document.createElement("div");
  const { pathname } = location;
  const close = () => {
    for (const event of MOVES) removeEventListener(event, leave);
    render(null, place);
    place.remove();
  };
  const leave = () => {
    if (location.pathname !== pathname) close();
  };
  // wouter-preact's own events beside the browser's.
  for (const event of MOVES) addEventListener(event, leave);
  document.body.append(place);
  render(content(close), place);
}

const MOVES = ["popstate", "pushState", "replaceState"];
