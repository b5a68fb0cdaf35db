import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

/** A request as a game server's API got it. */
export interface ApiRequest {
  /** With the query behind it. */
  url: string;
  authorization: string | undefined;
}

/** A game server on loopback that is asked over HTTP, and keeps what it was asked. */
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

/** A Palworld server, which answers its administrator alone. */
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

/** A Terraria server with TShock that wants a token; it says so in JSON, with status 200. */
export function tshock(token: string): RequestListener {
  const refusal = { status: '403', error: 'Not authorized.' };
  const status = {
    status: '200',
    name: 'Hallow',
    port: 7777,
    playercount: 1,
    maxplayers: 8,
    players: [{ nickname: 'Ann', team: 0 }],
  };
  return (request, response) => {
    const given = urlOf(request).searchParams.get('token');
    response.end(JSON.stringify(given === token ? status : refusal));
  };
}

/** A Farming Simulator server, which answers whoever knows its code. */
export function farmingSimulator(code: string): RequestListener {
  const stats =
    '<?xml version="1.0"?><Server name="Elm Creek" mapName="Elmcreek" version="1.2"><Slots capacity="16" numUsed="1">' +
    '<Player isUsed="true" isAdmin="false" uptime="5">Ann</Player><Player isUsed="false"/></Slots></Server>';
  return (request, response) => {
    if (urlOf(request).searchParams.get('code') === code) response.end(stats);
    else response.writeHead(403).end();
  };
}
