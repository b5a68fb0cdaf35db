import { field, text, truth } from '../answers/untyped-values.ts';
import { listKey } from './directory.ts';
import { arrayOf, leadingCount, namedPlayers, portOf, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/** Definition of the public server list of BeamMP. Source: `protocols/beammp.js` of the npm package gamedig 5.3.3. */
export const beammp = listDirectory(
  { name: 'beammp', protocols: ['beammp'], origin: 'https://backend.beammp.com' },
  {
    path: '/servers-info',
    *entries(body) {
      for (const entry of arrayOf(readJson(body))) {
        const ip = text(entry, 'ip');
        if (ip) yield [listKey(ip, portOf(field(entry, 'port'))), entry];
      }
    },
    read: entry => ({
      // Removes colour codes from the server name. A colour code is `^` and one character.
      name: text(entry, 'sname').replace(/\^./g, ''),
      map: text(entry, 'map'),
      password: truth(field(entry, 'password')),
      ...toldCounts(leadingCount(field(entry, 'players')), leadingCount(field(entry, 'maxplayers'))),
      version: text(entry, 'version'),
      playerList: namedPlayers(text(entry, 'playerslist').split(';').filter(Boolean)),
    }),
  },
);
