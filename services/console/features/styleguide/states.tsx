import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Waiting } from "../../ui/call/waiting.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Part } from "./part.tsx";

const BADGES = ["", "good", "warning", "bad"] as const;

/** What is told while something is awaited, missing or wrong. */
export function States() {
  return (
    <Part title="States">
      <div class="row">
        {BADGES.map((kind) => (
          <span key={kind} class={`badge ${kind}`}>
            {kind || "internal"}
          </span>
        ))}
      </div>
      <p class="notice">
        <span>Version 7 is there; you look at version 6.</span>
      </p>
      <p class="notice done">
        <span>1,133 events are in the catalogue.</span>
      </p>
      <p class="notice warning">
        <span>24 lines have no magnitude.</span>
      </p>
      <ErrorNotice error={new Error("The agency does not answer.")} retry={() => undefined} />
      <progress aria-label="Half of it" max={100} value={50} />
      <progress aria-label="Not known how much" />
      <Waiting text="Reading the file…" />
      <Empty title="No event passes the filters" text="There are 1,133 without them.">
        <button type="button">Clear the filters</button>
      </Empty>
    </Part>
  );
}
