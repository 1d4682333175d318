import { useSignal } from "@preact/signals";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { StatusTabs } from "../../ui/status-tabs.tsx";
import { Steps } from "../../ui/steps.tsx";
import { Part } from "./part.tsx";

/** Tabs, steps, menus, windows and what comes up at the window's edge. */
export function Ways() {
  const isAsked = useSignal(false);
  return (
    <Part title="Ways">
      <StatusTabs
        label="Requests"
        path="/styleguide"
        statuses={["pending", "approved", "rejected"]}
        chosen="pending"
      />
      <Steps names={["File", "Report", "Catalogue"]} at={1} />
      <div class="row">
        <Menu text="Export">
          <li>
            <a href="#ways">CSV</a>
          </li>
          <li>
            <button type="button" class="quiet">
              QuakeML…
            </button>
          </li>
        </Menu>
        <button type="button" onClick={() => (isAsked.value = true)}>
          Open a window
        </button>
        <button type="button" onClick={() => notice.done("The catalogue is renamed.")}>
          Tell something good
        </button>
        <button
          type="button"
          onClick={() => notice.error(new Error("The agency does not answer."))}
        >
          Tell a failure
        </button>
      </div>
      <details>
        <summary>More about it</summary>
        <p class="muted">What only few need is folded.</p>
      </details>
      {isAsked.value && (
        <ConfirmDialog
          title="Delete the catalogue"
          action="Delete"
          name="Taupō"
          run={async () => undefined}
          onClose={() => (isAsked.value = false)}
        >
          <p>Its 1,133 events and both versions go. Nothing brings them back.</p>
        </ConfirmDialog>
      )}
    </Part>
  );
}
