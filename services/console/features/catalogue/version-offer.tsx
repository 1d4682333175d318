import { useSignal } from "@preact/signals";
import { addressOf, type Catalogue, call } from "../../api/call.ts";
import { Button } from "../../ui/page.tsx";
import { count } from "../../ui/text/format.ts";
import { useFollowed } from "../../ui/timers.ts";

/** Between two questions while there is no stream. */
const POLL_MS = 30_000;

/**
 * Offers a version that has come since the page was loaded, by the catalogue's feed or, while there is none,
 * by asking; never jumps to it.
 */
export function VersionOffer(props: {
  readonly catalogue: Catalogue;
  readonly onShow: () => void;
}) {
  const { id, version: loaded } = props.catalogue;
  const newest = useSignal(loaded);
  const params = { id };
  const feed = addressOf("GET /api/catalogues/:id/feed", { params, query: { control: "true" } });
  // The id names the version up to which the feed has told, and the change in it, "2.17": of its
  // first message, too, which tells what has come while nobody looked.
  const onMessage = ({ data, lastEventId }: MessageEvent<string>) => {
    const { action }: { readonly action: string } = JSON.parse(data);
    if (action !== "ready" && action !== "version") return;
    newest.value = Number.parseInt(lastEventId, 10);
  };
  const ask = async () => {
    const now = await call("GET /api/catalogues/:id", { params }).catch(() => null);
    if (now !== null) newest.value = now.version;
  };
  useFollowed(feed, { onMessage }, POLL_MS, () => void ask());
  if (newest.value <= loaded) return null;
  return (
    <div class="bar row" role="status">
      <span>Version {count(newest.value)} has arrived.</span>
      <Button onClick={props.onShow} text="Show it" />
    </div>
  );
}
