import type { FleetServer, Responder } from '../responder.ts';

/** Returns a fake web server. It answers a GET request for `path` with a JSON document, and other requests with 404. */
function webServer(path: string, documentOf: (server: FleetServer) => object): Responder {
  return {
    transport: 'tcp',
    respond: (server, request) => {
      const text = request.toString('latin1');
      if (!text.endsWith('\r\n\r\n')) return undefined;
      const found = text.startsWith(`GET ${path} HTTP/1.0\r\n`);
      const body = JSON.stringify(found ? documentOf(server) : { error: 'not found' }, undefined, 2);
      const head = [
        `HTTP/1.1 ${found ? '200 OK' : '404 Not Found'}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      return [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)];
    },
  };
}

/** Fake server that answers like the status page of DarkMultiPlayer. */
export const kspdmp: Responder = webServer('/', ({ name, maxplayers, players, port, version }) => ({
  cheats: true,
  game_mode: 'SANDBOX',
  lastPlayerActivity: 0,
  max_players: maxplayers,
  mod_control: 1,
  player_count: players.length,
  players: players.map(player => player.name).join(', '),
  port,
  protocol_version: 25,
  server_name: name,
  universeSize: 96576,
  version,
}));

const MARKUP = { bold: '<b>', colour: '<color=#ff2a00>', end: '</color>', number: '<#0000FE>', thin: '</b>' };

/** Fake server that answers like Eco, with colour markup in the name of the server. */
export const eco: Responder = webServer(
  '/frontpage',
  ({ name, maxplayers, players, port, version, password }) => ({
    Info: {
      GamePort: port,
      WebPort: port + 1,
      IsLAN: false,
      Description:
        MARKUP.bold + name.replaceAll(' ', ` ${MARKUP.colour}${MARKUP.number}${MARKUP.end}`) + MARKUP.thin,
      OnlinePlayers: players.length,
      TotalPlayers: maxplayers,
      OnlinePlayersNames: players.map(player => player.name),
      TimeSinceStart: 560946.44009479822,
      Version: version,
      HasPassword: password,
    },
    Graphs: [{ Category: 'Ecosystem', Name: 'Populations', Graph: { Keys: [['World', 'Population']] } }],
  }),
);
