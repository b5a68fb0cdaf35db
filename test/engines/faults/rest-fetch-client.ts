import { credentialHeaders, FETCH, type RestMeta, type RestServer } from '../../contract/rest.ts';
import { DEADLINE_MS, type FetchClient, type FetchOutcome } from '../../faults/fetch-client.ts';
import { bootstrap } from '../../system/stack-settings.ts';

/** Thrown if a gateway does not answer a fetch, or answers with an HTTP status other than 200. */
export class RestFailure extends Error {
  override name = 'RestFailure';
  /** HTTP status of the answer. 0 if there was no answer. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Fetches game servers of one game through the REST API of a gateway. */
export class RestFetchClient implements FetchClient {
  readonly #http: string;
  readonly #game: string;

  /** `http`: address of the REST port of the gateway, `host:port`. */
  constructor(http: string, game: string) {
    this.#http = http;
    this.#game = game;
  }

  async fetch(servers: readonly string[]): Promise<FetchOutcome> {
    const { _meta: meta } = (await this.#post(servers)) as { _meta: RestMeta };
    return {
      inserted: new Set(meta.inserted_servers.map(({ server }) => server)),
      refused: new Map(meta.invalid_servers.map(({ server, reason }) => [server, reason])),
    };
  }

  /** Fetches servers. Resolves to their entries in the answer, in the order of `servers`. Rejects with RestFailure. */
  async read(servers: readonly string[]): Promise<RestServer[]> {
    const answer = await this.#post(servers);
    return servers.map(server => answer[server] as RestServer);
  }

  close(): void {}

  async #post(servers: readonly string[]): Promise<Record<string, unknown>> {
    try {
      const answer = await fetch(`http://${this.#http}${FETCH}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap) },
        body: JSON.stringify({ servers: [{ game_id: this.#game, servers }] }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new RestFailure(answer.status, text);
      return JSON.parse(text) as Record<string, unknown>;
    } catch (error) {
      throw error instanceof RestFailure ? error : new RestFailure(0, String(error));
    }
  }
}
