import { json } from './fake-directories.ts';
import { eachAddress, type GameOfDirectory, PORT } from './game-of-directory.ts';

/**
 * Games whose public server list is not one simple JSON document: it has two hosts (`brokeprotocol`), is plain text
 * (`geneshift`) or requires a log-in (`hawakening`).
 */
export const gamesWithOtherList: readonly GameOfDirectory[] = [
  {
    protocol: 'brokeprotocol',
    directory: 'brokeprotocol',
    hosts: ['bp.userr00t.com', 'brokeprotocol.com'],
    answers: servers => (request, response, body) => {
      const listed = eachAddress(servers, ip => ({
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
    protocol: 'geneshift',
    directory: 'geneshift',
    hosts: ['geneshift.net'],
    answers: servers => (_, response) => {
      const lines = eachAddress(
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
      const listings = eachAddress(servers, (_, i) => ({
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
];
