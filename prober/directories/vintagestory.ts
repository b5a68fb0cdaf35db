import { field, text, truth } from '../answers/untyped-values.ts';
import { arrayOf, leadingCount, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/**
 * Definition of the public server list of Vintage Story. Source: `protocols/vintagestory.js` of the npm package gamedig
 * 5.3.3.
 */
export const vintagestory = listDirectory(
  {
    name: 'vintagestory',
    protocols: ['vintagestory'],
    origin: 'https://masterserver.vintagestory.at',
    objection:
      'its owner asks such services to stay away (https://github.com/gamedig/node-gamedig/pull/725), and blocks them',
  },
  {
    path: '/api/v1/servers/list',
    *entries(body) {
      for (const entry of arrayOf(field(readJson(body), 'data'))) {
        const address = text(entry, 'serverIP');
        if (address) yield [address.toLowerCase(), entry];
      }
    },
    read: entry => ({
      name: text(entry, 'serverName'),
      password: truth(field(entry, 'hasPassword')),
      ...toldCounts(leadingCount(field(entry, 'players')), leadingCount(field(entry, 'maxPlayers'))),
      version: text(entry, 'gameVersion'),
    }),
  },
);
