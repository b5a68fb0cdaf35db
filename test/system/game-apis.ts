import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

/** A request that the HTTP API of a game server has received. */
export interface ApiRequest {
  /** Path and query string of the request to the HTTP API. */
  url: string;
  authorization: string | undefined;
}

/** A fake game server on loopback with an HTTP API. It records all requests. */
export class GameApi {
  readonly requests: ApiRequest[] = [];
  readonly #server: Server;

  private constructor(listener: RequestListener) {
    this.#server = createServer((request, response) => {
      this.requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
      listener(request, response);
    });
  }

  static async start(listener: RequestListener): Promise<GameApi> {
    const api = new GameApi(listener);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  get port(): number {
    const bound = this.#server.address();
    if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen');
    return bound.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const PALWORLD: Record<string, object> = {
  '/v1/api/info': { version: 'v0.6.1', servername: 'Pal Island' },
  '/v1/api/players': { players: [{ name: 'Ann' }] },
  '/v1/api/settings': {},
  '/v1/api/metrics': { currentplayernum: 1, maxplayernum: 32 },
};

/**
 * Returns the fake HTTP API of a Palworld server, which answers only requests with the password of the administrator.
 */
export function palworld(password: string): RequestListener {
  const wanted = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  return (request, response) => {
    const body = PALWORLD[request.url ?? ''];
    if (request.headers.authorization !== wanted) response.writeHead(401).end('{}');
    else if (!body) response.writeHead(404).end('{}');
    else response.end(JSON.stringify(body));
  };
}

const urlOf = ({ url }: IncomingMessage): URL => new URL(url ?? '', 'http://localhost');

/**
 * Returns the fake HTTP API of a Terraria server with TShock. If a request has the wrong token, the answer is an error
 * in JSON with the HTTP status 200.
 */
export function tshock(token: string): RequestListener {
  const refusal = { status: '403', error: 'Not authorized.' };
  const status = {
    status: '200',
    name: 'Hallow',
    port: 7777,
    playercount: 1,
    maxplayers: 8,
    world: 'Crimson Isle',
    serverversion: 'v1.4.4.9',
    serverpassword: true,
    players: [{ nickname: 'Ann', team: 0 }],
  };
  return (request, response) => {
    const given = urlOf(request).searchParams.get('token');
    response.end(JSON.stringify(given === token ? status : refusal));
  };
}

/**
 * Returns the fake HTTP API of a Farming Simulator server. The API refuses a request (status 403) if its query
 * parameter `code` is not the given access code.
 */
export function farmingSimulator(code: string): RequestListener {
  const stats =
    '<?xml version="1.0"?><Server name="Elm Creek" mapName="Elmcreek" version="1.2"><Slots capacity="16" numUsed="1">' +
    '<Player isUsed="true" isAdmin="false" uptime="5">Ann</Player><Player isUsed="false"/></Slots></Server>';
  return (request, response) => {
    if (urlOf(request).searchParams.get('code') === code) response.end(stats);
    else response.writeHead(403).end();
  };
}
