import { field, text, truth } from '../answers/untyped-values.ts';
import { listKey } from './directory.ts';
import { arrayOf, countOf, portOf, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/**
 * Definition of the public server list of Renegade X. Source: `protocols/renegadex.js` of the npm package gamedig
 * 5.3.3.
 */
export const renegadex = listDirectory(
  { name: 'renegadex', protocols: ['renegadex'], origin: 'https://serverlist-rx.totemarts.services' },
  {
    path: '/servers.jsp',
    *entries(body) {
      for (const entry of arrayOf(readJson(body))) {
        const ip = text(entry, 'IP');
        if (ip) yield [listKey(ip, portOf(field(entry, 'Port'))), entry];
      }
    },
    read: entry => {
      const variables = field(entry, 'Variables');
      const prefix = text(entry, 'NamePrefix');
      return {
        name: `${prefix && `${prefix} `}${text(entry, 'Name')}`,
        map: text(entry, 'Current Map'),
        password: truth(field(variables, 'bPassworded')),
        ...toldCounts(countOf(entry, 'Players'), countOf(variables, 'Player Limit')),
        version: text(entry, 'Game Version'),
      };
    },
  },
);
