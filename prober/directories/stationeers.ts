import { field, text, truth } from '../answers/untyped-values.ts';
import { listKey } from './directory.ts';
import { arrayOf, countOf, portOf, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/**
 * Definition of the public server list of Stationeers, which gsq fetches over plain HTTP. Source:
 * `src/GameQ/Protocols/Stationeers.php` of https://github.com/Austinb/GameQ.
 */
export const stationeers = listDirectory(
  { name: 'stationeers', protocols: ['stationeers'], origin: 'http://40.82.200.175:8081' },
  {
    path: '/list',
    *entries(body) {
      for (const entry of arrayOf(field(readJson(body), 'GameSessions'))) {
        const address = text(entry, 'Address');
        if (address) yield [listKey(address, portOf(field(entry, 'Port'))), entry];
      }
    },
    read: entry => ({
      name: text(entry, 'Name'),
      map: text(entry, 'MapName'),
      password: truth(field(entry, 'Password')),
      ...toldCounts(countOf(entry, 'Players'), countOf(entry, 'MaxPlayers')),
      version: text(entry, 'Version'),
    }),
  },
);
