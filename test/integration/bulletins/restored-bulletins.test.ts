import { describe, expect, onTestFinished, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../api/support/catalogue.ts";
import { signIn } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { createTestDatabase } from "../../support/database.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { useService } from "../../support/service.ts";
import { ADMIN, startTestService } from "../../support/start-test-service.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { cli } from "../cli/use-cli.ts";

const EVENTS = [
  seismicEvent(),
  ...[smallBulletin(), tangledBulletin(), everyMember()].map((bulletin) => ({ bulletin })),
];

describe.each(["postgres", "eventstoredb"] as const)("with its log in %s", (eventLog) => {
  const service = useService({}, { eventLog });

  test("a restored service has the same bulletins at every version, and a verification holds", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { is_public: true, events: EVENTS });
    const path = `/api/catalogues/${id}`;
    const { body } = await editor.get<{ events: { id: string; bulletin_counts?: object }[] }>(
      `${path}/events/filtered`,
    );
    const [edited] = body.events.filter((event) => event.bulletin_counts !== undefined);
    const change = await editor.send("PATCH", `${path}/events/${edited?.id}`, { depth: 7.25 });
    expect(change.status, JSON.stringify(change.body)).toBe(200);
    const exportsOf = async (url: string) => {
      const client = await signIn(url, ADMIN);
      const queries = ["json&include=bulletin&asOf=1", "json&include=bulletin&asOf=2", "isf"];
      return Promise.all(
        queries.map(async (query) => {
          const answer = await client.stream(`${path}/export?format=${query}`);
          expect(answer.status).toBe(200);
          return answer.text();
        }),
      );
    };
    const before = await exportsOf(service.url);
    expect(before[0]?.match(/"bulletin":/g)).toHaveLength(3);

    const directory = await createTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const file = `${directory.path}/backup`;
    const own = { DATABASE_URL: service.databaseUrl, ...service.log.variables };
    expect((await cli(own, "backup", file)).exitCode).toBe(0);
    const empty = await createTestDatabase({ empty: true });
    onTestFinished(empty.drop);
    const other = { ...service.log.variables, DATABASE_URL: empty.url };
    expect((await cli(other, "restore", file)).exitCode).toBe(0);
    expect((await cli(other, "verify", "catalogues")).exitCode).toBe(0);
    const restored = await startTestService({
      ...other,
      JWT_SECRET: "a secret of the restored service, 32 long",
      CREATE_ADMIN_USER: "false",
    });
    onTestFinished(() => restored.stop().then(() => undefined));
    expect(await exportsOf(restored.url)).toEqual(before);
  });
});
