import { fakeName, json } from './fake-directories.ts';
import { eachAddress, type GameOfDirectory, onlyAnn, PORT } from './game-of-directory.ts';

/** Games whose public server list is one JSON document with all servers. */
export const gamesWithJsonList: readonly GameOfDirectory[] = [
  {
    protocol: 'altvmp',
    directory: 'altv',
    hosts: ['api.alt-mp.com'],
    answers: servers =>
      json(
        eachAddress(servers, address => ({
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
        eachAddress(servers, ip => ({
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
      playerList: onlyAnn,
    },
  },
  {
    protocol: 'minetest',
    directory: 'minetest',
    hosts: ['servers.minetest.net'],
    answers: servers =>
      json({
        list: eachAddress(servers, address => ({
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
    expected: {
      name: 'First',
      password: false,
      players: 1,
      maxplayers: 70,
      version: '5.9',
      playerList: onlyAnn,
    },
  },
  {
    protocol: 'ragemp',
    directory: 'ragemp',
    hosts: ['cdn.rage.mp'],
    answers: servers =>
      json(
        eachAddress(servers, address => ({
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
        eachAddress(servers, IP => ({
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
    protocol: 'stationeers',
    directory: 'stationeers',
    hosts: [fakeName('40.82.200.175')],
    answers: servers =>
      json({
        Count: servers,
        TotalPlayers: 3 * servers,
        GameSessions: eachAddress(servers, Address => ({
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
        data: eachAddress(servers, address => ({
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
