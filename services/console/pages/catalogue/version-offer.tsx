import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf } from "../../api/call.ts";
import { count } from "../../ui/format.ts";
import type { Catalogue } from "./page.tsx";

type VersionOfferProps = { readonly catalogue: Catalogue; readonly reload: () => void };

type Message = { readonly action: string; readonly data?: { readonly version?: number } };

/** Offers a version that has come since the page was loaded; never jumps to it. */
export function VersionOffer({ catalogue: { id, version }, reload }: VersionOfferProps) {
  const newest = useSignal(version);
  useEffect(() => {
    const feed = new EventSource(
      addressOf("GET /api/catalogues/:id/feed", { params: { id }, query: { control: "true" } }),
    );
    feed.onmessage = ({ data }) => {
      const message: Message = JSON.parse(data);
      if (message.action === "version") newest.value = message.data?.version ?? newest.value;
    };
    return () => feed.close();
  }, [id]);
  if (newest.value <= version) return null;
  return (
    <div class="bar row" role="status">
      <span>Version {count(newest.value)} is there.</span>
      <button type="button" onClick={reload}>
        Show it
      </button>
    </div>
  );
}
