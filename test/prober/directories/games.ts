import type { RawStatus } from '../../../prober/answers/raw-status.ts';
import type { DirectoryQuestion } from '../../../prober/directories/directory.ts';
import { type Answering, fakeName, json } from './fake-directories.ts';

/** Test data for a game whose servers are listed in a directory. */
export interface GameOfDirectory {
  protocol: string;
  directory: string;
  /** Hosts of the directory, in the order in which they receive requests. */
  hosts: readonly string[];
  /** Answers like a directory that lists `servers` servers. Server number i has the address `addressOf(i)`. */
  answers: (servers: number) => Answering;
  /** Expected status of the first server. */
  expected: RawStatus;
  /** Fields of a look-up besides the address of the server, for example its secret. */
  more?: Partial<DirectoryQuestion>;
  /** Returns the options of server number i. Absent if servers are found by their address. */
  optionsOf?: (i: number) => ReadonlyMap<string, string>;
}

/** Port of all servers in the test data. */
export const PORT = 7777;

/** Returns the address of server number i. The first 256 are documentation addresses, and no packet is sent to any. */
export function addressOf(i: number): string {
  return `198.51.${100 + (i >> 8)}.${i & 255}`;
}

/** Returns the look-up of server number i of a game. */
export function questionAbout({ protocol, more, optionsOf }: GameOfDirectory, i = 0): DirectoryQuestion {
  const address = addressOf(i);
  const options = optionsOf?.(i) ?? new Map<string, string>();
  return { protocol, host: address, address, ports: [PORT], secret: '', options, ...more };
}

const each = <T>(servers: number, make: (address: string, i: number) => T): T[] =>
  Array.from({ length: servers }, (_, i) => make(addressOf(i), i));

const ann = [{ name: 'Ann' }];

const GUILD = 100_000_000_000_000n;

/** Answers like Epic Online Services: grants every token, and finds sessions for every requested address. */
function eosAnswers(attributes: object): Answering {
  return (request, response, body) => {
    if (request.url?.startsWith('/auth/')) {
      return json({ access_token: `token-${request.url}`, expires_in: 3600 })(request, response, body);
    }
    const [{ value: address }] = JSON.parse(body).criteria;
    const session = {
      attributes: { ADDRESS_s: address, ADDRESSBOUND_s: `0.0.0.0:${PORT}`, ...attributes },
      totalPlayers: 3,
      settings: { maxPublicPlayers: 70 },
      publicPlayers: ann,
    };
    const other = { attributes: { ADDRESSBOUND_s: '0.0.0.0:1' }, totalPlayers: 0, publicPlayers: [] };
    return json({ sessions: [other, session], count: 2 })(request, response, body);
  };
}

function eosGame(protocol: string, attributes: object, expected: Partial<RawStatus>): GameOfDirectory {
  const common = { players: 3, maxplayers: 70, playerList: ann };
  return {
    protocol,
    directory: 'eos',
    hosts: ['api.epicgames.dev'],
    answers: () => eosAnswers(attributes),
    expected: { name: 'First', map: 'Hills', password: true, version: '7', ...common, ...expected },
  };
}

export const games: readonly GameOfDirectory[] = [
  {
    protocol: 'altvmp',
    directory: 'altv',
    hosts: ['api.alt-mp.com'],
    answers: servers =>
      json(
        each(servers, address => ({
          address: `https://${address}:${PORT}/`,
          name: 'First',
          playersCount: 3,
          maxPlayersCount: 70,
          passworded: true,
          version: '7',
          useCdn: true,
          id: 'altv-1',
        })),
      ),
    expected: { name: 'First', players: 3, maxplayers: 70, password: true, version: '7' },
  },
  {
    protocol: 'beammp',
    directory: 'beammp',
    hosts: ['backend.beammp.com'],
    answers: servers =>
      json(
        each(servers, ip => ({
          ip,
          port: String(PORT),
          sname: '^1Fi^rrst',
          map: '/levels/hills/info.json',
          password: true,
          players: '1',
          maxplayers: '10',
          playerslist: 'Ann;',
          version: '3.4',
        })),
      ),
    expected: {
      name: 'First',
      map: '/levels/hills/info.json',
      password: true,
      players: 1,
      maxplayers: 10,
      version: '3.4',
      playerList: ann,
    },
  },
  {
    protocol: 'brokeprotocol',
    directory: 'brokeprotocol',
    hosts: ['bp.userr00t.com', 'brokeprotocol.com'],
    answers: servers => (request, response, body) => {
      const listed = each(servers, ip => ({
        Ip: ip,
        Port: PORT,
        Name: '&4First ',
        Map: { Name: 'Hills' },
        PlayerLimit: 70,
        Version: '1.42',
        Id: 'broke-1',
        Snapshots: [
          { At: 1, PlayerCount: 9 },
          { At: 2, PlayerCount: 3 },
        ],
      }));
      const isCommunity = request.url?.startsWith('/serverbrowser');
      json(isCommunity ? { servers: listed } : listed)(request, response, body);
    },
    expected: {
      name: 'First',
      map: 'Hills',
      players: 3,
      maxplayers: 70,
      version: '1.42',
      connectPort: PORT,
    },
  },
  {
    protocol: 'discord',
    directory: 'discord',
    hosts: ['discord.com'],
    answers: () =>
      json({ id: '1', name: 'First', presence_count: 150, members: [{ id: '0', username: 'Ann' }] }),
    expected: { name: 'First', players: 150, playerList: ann },
    optionsOf: i => new Map([['guild', String(GUILD + BigInt(i))]]),
  },
  eosGame(
    'asa',
    {
      CUSTOMSERVERNAME_s: 'First',
      MAPNAME_s: 'Hills',
      SERVERPASSWORD_b: true,
      BUILDID_s: '7',
      MINORBUILDID_s: '1',
    },
    { version: '7.1' },
  ),
  eosGame(
    'renown',
    { SERVERNAME_s: 'First', MAPNAME_s: 'Hills', PASSWORD_b: true, SERVERVERSION_s: '7' },
    {},
  ),
  eosGame('squad', { SERVERNAME_s: 'First', MAPNAME_s: 'Hills', PASSWORD_b: true, GAMEVERSION_s: '7' }, {}),
  eosGame(
    'theisleevrima',
    { SERVERNAME_s: 'First', MAP_NAME_s: 'Hills', SERVERPASSWORD_b: true, SERVER_VERSION_s: '7' },
    {},
  ),
  {
    protocol: 'factorio',
    directory: 'factorio',
    hosts: ['multiplayer.factorio.com'],
    answers: () =>
      json({
        name: 'First',
        has_password: 'true',
        max_players: '70',
        players: ['Ann'],
        application_version: { game_version: '2.0.1', build_version: 79_000 },
      }),
    expected: {
      name: 'First',
      password: true,
      players: 1,
      maxplayers: 70,
      version: '2.0.1.79000',
      playerList: ann,
    },
  },
  {
    protocol: 'geneshift',
    directory: 'geneshift',
    hosts: ['geneshift.net'],
    answers: servers => (_, response) => {
      const lines = each(
        servers,
        ip => `DE::Germany::${ip}::${PORT}::First::Hills::3::70${'::0'.repeat(11)}::7`,
      );
      response.end(lines.join('<br/>'));
    },
    expected: { name: 'First', map: 'Hills', players: 3, maxplayers: 70, version: '7' },
  },
  {
    protocol: 'hawakening',
    directory: 'hawakening',
    hosts: ['hawakening.com'],
    answers: servers => (request, response, body) => {
      const listings = each(servers, (_, i) => ({
        Guid: `GUID-${i}`,
        ServerName: 'First',
        Map: 'Hills',
        MaxUsers: 12,
        Users: ['a', 'b'],
        GameVersion: '7',
        DeveloperData: { PasswordHash: 'x' },
      }));
      const Result = request.method === 'POST' ? 'granted' : listings;
      json({ Status: 200, Message: 'done', Result })(request, response, body);
    },
    expected: { name: 'First', map: 'Hills', password: true, players: 2, maxplayers: 12, version: '7' },
    more: { secret: 'pass word' },
    optionsOf: i =>
      new Map([
        ['server_id', `guid-${i}`],
        ['username', 'operator'],
      ]),
  },
  {
    protocol: 'minetest',
    directory: 'minetest',
    hosts: ['servers.minetest.net'],
    answers: servers =>
      json({
        list: each(servers, address => ({
          address: 'play.example.net',
          ip: address,
          port: String(PORT),
          name: 'First',
          clients: 1,
          clients_max: 70,
          clients_list: ['Ann'],
          password: '',
          version: '5.9',
        })),
      }),
    expected: { name: 'First', password: false, players: 1, maxplayers: 70, version: '5.9', playerList: ann },
  },
  {
    protocol: 'ragemp',
    directory: 'ragemp',
    hosts: ['cdn.rage.mp'],
    answers: servers =>
      json(
        each(servers, address => ({
          id: 'group',
          servers: [{ id: `${address}:${PORT}`, name: 'First', players: { amount: 3, max: 70 } }],
        })),
      ),
    expected: { name: 'First', players: 3, maxplayers: 70 },
  },
  {
    protocol: 'renegadex',
    directory: 'renegadex',
    hosts: ['serverlist-rx.totemarts.services'],
    answers: servers =>
      json(
        each(servers, IP => ({
          IP,
          Port: PORT,
          NamePrefix: '[EU]',
          Name: 'First',
          'Current Map': 'Hills',
          Players: 3,
          Bots: 4,
          'Game Version': 'Open Beta 5',
          Variables: { 'Player Limit': 64, bPassworded: true },
        })),
      ),
    expected: {
      name: '[EU] First',
      map: 'Hills',
      password: true,
      players: 3,
      maxplayers: 64,
      version: 'Open Beta 5',
    },
  },
  {
    protocol: 'scpsl',
    directory: 'scpsl',
    hosts: ['api.scpslgame.com'],
    answers: () =>
      json({
        Success: true,
        Cooldown: 5,
        Servers: [
          { ID: 1, Port: PORT + 1, Online: true, Players: '0/20', Info: '' },
          {
            ID: 2,
            Port: PORT,
            Online: true,
            Players: '3/20',
            Info: Buffer.from('<color=red><b>First</b></color>').toString('base64'),
            Version: '14.0',
          },
        ],
      }),
    expected: { name: 'First', players: 3, maxplayers: 20, version: '14.0' },
    more: { secret: 'key' },
    optionsOf: i => new Map([['account_id', String(1000 + i)]]),
  },
  {
    protocol: 'stationeers',
    directory: 'stationeers',
    hosts: [fakeName('40.82.200.175')],
    answers: servers =>
      json({
        Count: servers,
        TotalPlayers: 3 * servers,
        GameSessions: each(servers, Address => ({
          SessionId: 15712,
          Name: 'First',
          Version: '0.2.1.2',
          Address,
          Port: String(PORT),
          MapName: 'Hills',
          Players: 3,
          MaxPlayers: 20,
          Password: true,
          UpTime: 0,
          Type: 2,
        })),
      }),
    expected: {
      name: 'First',
      map: 'Hills',
      password: true,
      players: 3,
      maxplayers: 20,
      version: '0.2.1.2',
    },
  },
  {
    protocol: 'vintagestory',
    directory: 'vintagestory',
    hosts: ['masterserver.vintagestory.at'],
    answers: servers =>
      json({
        status: 'ok',
        data: each(servers, address => ({
          serverName: 'First',
          serverIP: `${address}:${PORT}`,
          players: '3',
          maxPlayers: 70,
          gameVersion: '1.21.6',
          hasPassword: true,
        })),
      }),
    expected: { name: 'First', password: true, players: 3, maxplayers: 70, version: '1.21.6' },
  },
];
