import { expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { useReachableService } from "../support/reachable-service.ts";

const service = await useReachableService();

type Shown = { readonly line: string; readonly coordinates: readonly (number | null)[] };

test.skipIf(!hasPython)(
  "a listener of EMSC's feed shows what is created, updated and deleted, depths as heights",
  async () => {
    const editor = await service.loginAs("editor");
    const first = seismicEvent({ id: "20161113_0000001", agency_id: "EMSC", region: "CULVERDEN" });
    const { id } = await createCatalogue(editor, { is_public: true, events: [first] });
    const path = `/api/catalogues/${id}`;
    const { body } = await editor.get<{ events: SeismicEvent[] }>(`${path}/events`);
    const url = `${service.url.replace(/^http/, "ws")}${path}/feed/websocket?after=0`;
    const listening = runPython<Shown[]>("emsc_listener.py", { input: { url, count: 4 } });
    const event = `${path}/events/${body.events[0]?.id}`;
    await editor.send("PATCH", event, { magnitude: 7.9, depth: 22.5 });
    await editor.send("POST", `${path}/events`, {
      events: [seismicEvent({ id: "nobody's", depth: null, magnitude: null, region: "AT SEA" })],
    });
    await editor.send("DELETE", event);
    const of = "unid:20161113_0000001, T0:2016-11-13T11:02:56.346Z";
    expect(await listening).toEqual([
      {
        line: `create  event from EMSC   , ${of}, Mag:7.8, Region: CULVERDEN`,
        coordinates: [173.02, -42.69, -15.1],
      },
      {
        line: `update  event from EMSC   , ${of}, Mag:7.9, Region: CULVERDEN`,
        coordinates: [173.02, -42.69, -22.5],
      },
      {
        line: "create  event from        , unid:nobody's, T0:2016-11-13T11:02:56.346Z, Mag:None, Region: AT SEA",
        coordinates: [173.02, -42.69, null],
      },
      {
        line: `delete  event from EMSC   , ${of}, Mag:7.9, Region: CULVERDEN`,
        coordinates: [173.02, -42.69, -22.5],
      },
    ]);
  },
);
