import { Link } from "wouter-preact";
import { useAnswer } from "../../../ui/call.tsx";
import { useRepeated } from "../../../ui/timers.ts";

const EVERY_MS = 60_000;

/** Tells that the sources of a merged catalogue have moved on; nothing while they have not. */
export function BehindLine({ catalogue: id }: { readonly catalogue: string }) {
  const { last, reload } = useAnswer("GET /api/catalogues/:id/merge", { params: { id } });
  useRepeated(EVERY_MS, reload);
  if (!last?.behind) return null;
  return (
    <div class="row">
      <span class="badge warning">its sources have changed</span>
      <Link href={`/catalogues/${id}/merge`}>Take it in…</Link>
    </div>
  );
}
