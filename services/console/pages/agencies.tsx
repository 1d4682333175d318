import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { readReport } from "../api/readiness.ts";
import { has } from "../api/session.ts";
import { AgenciesTable, AgencyDialog, readUses } from "../features/agencies.tsx";
import { useAgencies } from "../ui/agencies.tsx";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { usePolled } from "../ui/call/use-polled.ts";

const EVERY_MS = 10_000;

export function Page() {
  const found = useAgencies();
  const { answer: report, ask } = usePolled(EVERY_MS, readReport);
  const isEditor = has("editor");
  const uses = useCall("uses", async (signal) => (isEditor ? await readUses(signal) : null));
  const isAdding = useSignal(false);
  const reload = () => {
    found.reload();
    ask();
  };
  return (
    <section class="page">
      <div class="page-head">
        <h1>Agencies</h1>
        {has("admin") && (
          <button type="button" class="primary" onClick={() => (isAdding.value = true)}>
            Add an agency
          </button>
        )}
        {isEditor && (
          <Link class="button quiet end" href="/import">
            Import from one
          </Link>
        )}
      </div>
      <p class="muted">
        Agencies locate earthquakes and give them to others. Editors import from those that are
        enabled, and keep catalogues current from them.
      </p>
      <Answered call={found}>
        {(agencies) => {
          const shown = { report, uses: uses.answer, reload };
          const others = agencies.filter(({ enabled }) => !enabled);
          return (
            <>
              <AgenciesTable
                label="Enabled agencies"
                agencies={agencies.filter(({ enabled }) => enabled)}
                {...shown}
              />
              {others.length > 0 && (
                <>
                  <h2>Not enabled</h2>
                  <p class="muted">
                    Their addresses and habits are known. Nothing is asked of them until an
                    administrator enables them.
                  </p>
                  <AgenciesTable
                    label="Agencies that are not enabled"
                    agencies={others}
                    {...shown}
                  />
                </>
              )}
            </>
          );
        }}
      </Answered>
      {isAdding.value && (
        <AgencyDialog agency={null} reload={reload} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}
