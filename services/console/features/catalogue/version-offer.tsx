import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf } from "../../api/call.ts";
import { followStream } from "../../api/follow-stream.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { count } from "../../ui/text/format.ts";

type VersionOfferProps = { readonly catalogue: Catalogue; readonly onShow: () => void };

/** Offers a version that has come since the page was loaded; never jumps to it. */
export function VersionOffer({ catalogue: { id, version }, onShow }: VersionOfferProps) {
  const newest = useSignal(version);
  useEffect(
    () =>
      followStream(
        addressOf("GET /api/catalogues/:id/feed", { params: { id }, query: { control: "true" } }),
        {
          // The id names the version up to which the feed has told: of its first message, too, which
          // tells what has come while nobody looked.
          onMessage: ({ data, lastEventId }) => {
            const { action }: { readonly action: string } = JSON.parse(data);
            if (action === "ready" || action === "version") newest.value = Number(lastEventId);
          },
        },
      ),
    [id],
  );
  if (newest.value <= version) return null;
  return (
    <div class="bar row" role="status">
      <span>Version {count(newest.value)} has arrived.</span>
      <button type="button" onClick={onShow}>
        Show it
      </button>
    </div>
  );
}
