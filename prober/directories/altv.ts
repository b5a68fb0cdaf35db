import { field, text, truth } from '../answers/untyped-values.ts';
import { idKey } from './directory.ts';
import { arrayOf, countOf, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/** Definition of the public server list of alt:V. Source: `protocols/altvmp.js` of the npm package gamedig 5.3.3. */
export const altv = listDirectory(
  { name: 'altv', protocols: ['altvmp'], origin: 'https://api.alt-mp.com' },
  {
    path: '/servers',
    *entries(body) {
      for (const entry of arrayOf(readJson(body))) {
        // The property `address` is either `1.2.3.4:7788`, or a URL if the server uses a content delivery network.
        // Reduces both to `host:port`.
        const address = text(entry, 'address').replace(/^https?:\/\//, '');
        const [hostAndPort = ''] = address.split('/', 1);
        if (hostAndPort) yield [hostAndPort.toLowerCase(), entry];
        const id = text(entry, 'id');
        if (id) yield [idKey(id), entry];
      }
    },
    read: entry => ({
      name: text(entry, 'name'),
      ...toldCounts(countOf(entry, 'playersCount'), countOf(entry, 'maxPlayersCount')),
      password: truth(field(entry, 'passworded')),
      version: text(entry, 'version'),
    }),
  },
);
