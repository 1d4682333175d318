import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf } from "../../api/call.ts";
import { followStream } from "../../api/follow-stream.ts";
import { count } from "../../ui/format.ts";
import type { Catalogue } from "./page.tsx";

type VersionOfferProps = { readonly catalogue: Catalogue; readonly onShow: () => void };

type Message = { readonly action: string; readonly data?: { readonly version?: number } };

/** Offers a version that has come since the page was loaded; never jumps to it. */
export function VersionOffer({ catalogue: { id, version }, onShow }: VersionOfferProps) {
  const newest = useSignal(version);
  useEffect(
    () =>
      followStream(
        addressOf("GET /api/catalogues/:id/feed", { params: { id }, query: { control: "true" } }),
        (data) => {
          const message: Message = JSON.parse(data);
          if (message.action === "version") newest.value = message.data?.version ?? newest.value;
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
