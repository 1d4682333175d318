import { Link } from "wouter-preact";
import { Empty } from "../ui/empty.tsx";
import { useTitle } from "../ui/use-title.ts";

export function NotFound() {
  useTitle("Not found");
  return (
    <section class="page">
      <h1>There is no such page</h1>
      <Empty
        title="Nothing stands at this address."
        text="It may be mistyped, or come from an older link."
      >
        <Link class="button" href="/">
          All catalogues
        </Link>
        <Link class="button quiet" href="/status">
          Status
        </Link>
      </Empty>
    </section>
  );
}
