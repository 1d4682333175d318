import { type ComponentChildren, render } from "preact";
import { Dialog } from "./dialog.tsx";
import { type Fields, Form, input } from "./form.tsx";

type Question<F extends Fields, Answer> = Omit<
  Parameters<typeof Form<F, Answer>>[0],
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

/**
 * Asks before something is done, or for what it needs; says in the same window why it could not be
 * done. What is read from a page that may change meanwhile is read when it is done.
 */
export function ask<F extends Fields = Record<never, never>, Answer = unknown>(
  question: Question<F, Answer>,
): void {
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
export function openWindow(content: (close: () => void) => ComponentChildren): void {
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
