import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Dialog } from "../ui/form/dialog.tsx";
import { Button } from "../ui/page.tsx";
import { listenForShortcuts, SHORTCUTS } from "./shortcuts.ts";

/** The keys of the console, and the window that lists them. */
export function Keyboard() {
  const [, navigate] = useLocation();
  const isHelpShown = useSignal(false);
  useEffect(
    () =>
      listenForShortcuts({
        openCatalogues: () => navigate("/catalogues"),
        openHelp: () => {
          isHelpShown.value = true;
        },
      }),
    [],
  );
  if (!isHelpShown.value) return null;
  const close = () => {
    isHelpShown.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="facts">
        {SHORTCUTS.map(({ keys, does }) => (
          <Fragment key={does}>
            <dt class="keys">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <div class="row">
        <Button onClick={close} text="Close" />
      </div>
    </Dialog>
  );
}
