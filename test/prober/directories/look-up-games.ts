import type { RawStatus } from '../../../prober/answers/raw-status.ts';
import { type Answering, json } from './fake-directories.ts';
import { type GameOfDirectory, onlyAnn, PORT } from './game-of-directory.ts';

/** Smallest Discord guild id in the test data. */
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
      publicPlayers: onlyAnn,
    };
    const other = { attributes: { ADDRESSBOUND_s: '0.0.0.0:1' }, totalPlayers: 0, publicPlayers: [] };
    return json({ sessions: [other, session], count: 2 })(request, response, body);
  };
}

function eosGame(protocol: string, attributes: object, expected: Partial<RawStatus>): GameOfDirectory {
  const common = { players: 3, maxplayers: 70, playerList: onlyAnn };
  return {
    protocol,
    directory: 'eos',
    hosts: ['api.epicgames.dev'],
    answers: () => eosAnswers(attributes),
    expected: { name: 'First', map: 'Hills', password: true, version: '7', ...common, ...expected },
  };
}

/** Games whose public server list needs a separate request for each server, account or address. */
export const gamesWithLookUps: readonly GameOfDirectory[] = [
  {
    protocol: 'discord',
    directory: 'discord',
    hosts: ['discord.com'],
    answers: () =>
      json({ id: '1', name: 'First', presence_count: 150, members: [{ id: '0', username: 'Ann' }] }),
    expected: { name: 'First', players: 150, playerList: onlyAnn },
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
      playerList: onlyAnn,
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
];
