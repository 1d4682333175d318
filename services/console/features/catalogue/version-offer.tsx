import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { addressOf, type Catalogue, call } from "../../api/call.ts";
import { followStream } from "../../api/follow-stream.ts";
import { Button } from "../../ui/page.tsx";
import { count } from "../../ui/text/format.ts";
import { useRepeated } from "../../ui/timers.ts";

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
  const isStreaming = useRef(false);
  useEffect(
    () =>
      followStream(
        addressOf("GET /api/catalogues/:id/feed", { params: { id }, query: { control: "true" } }),
        {
          // The id names the version up to which the feed has told, and the change in it, "2.17": of its
          // first message, too, which tells what has come while nobody looked.
          onMessage: ({ data, lastEventId }) => {
            const { action }: { readonly action: string } = JSON.parse(data);
            if (action !== "ready" && action !== "version") return;
            newest.value = Number.parseInt(lastEventId, 10);
          },
          onState: (isOpen) => {
            isStreaming.current = isOpen;
          },
        },
      ),
    [id],
  );
  useRepeated(POLL_MS, () => {
    if (isStreaming.current) return;
    call("GET /api/catalogues/:id", { params: { id } }).then(
      ({ version }) => {
        newest.value = version;
      },
      () => undefined,
    );
  });
  if (newest.value <= loaded) return null;
  return (
    <div class="bar row" role="status">
      <span>Version {count(newest.value)} has arrived.</span>
      <Button onClick={props.onShow} text="Show it" />
    </div>
  );
}
