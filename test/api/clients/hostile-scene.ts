import { beforeAll } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

/** What the event service answers where it refuses. */
export const ERROR_TEXT =
  /^Error (\d{3}): [A-Z][A-Za-z ]+\n\n[^\n]+\n\nUsage details are available from \S+\n\nRequest:\n[^\n]*\n\nRequest Submitted:\n\S+Z\n\nService version:\n1\.2\.0\n$/;

export type HostileScene = {
  readonly editor: ApiClient;
  readonly guest: ApiClient;
  /** Of a public catalogue. */
  readonly id: string;
  /** Path of its event service. */
  readonly base: string;
  /** Asks for a path as it stands. */
  readonly raw: (path: string, method?: string) => ReturnType<typeof rawRequest>;
};

/** A service without limits of requests, and a public catalogue of two events. */
export function useHostileScene(): HostileScene {
  const service = useService({
    RATE_LIMIT_CLIENTS: "0",
    RATE_LIMIT_WRITE: "0",
    RATE_LIMIT_READ: "0",
  });
  const scene = {} as HostileScene;
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [seismicEvent({ source_id: "one" }), seismicEvent({ magnitude: null })];
    const { id } = await createCatalogue(editor, { events, is_public: true });
    Object.assign(scene, {
      editor,
      guest: createApiClient(service.url),
      id,
      base: `/api/catalogues/${id}/fdsnws/event/1`,
      raw: (path: string, method = "GET") => rawRequest(service.url, { method, path }),
    });
  });
  return scene;
}
