import { field, list, text, truth } from '../answers/untyped-values.ts';
import { listKey } from './directory.ts';
import {
  arrayOf,
  countOf,
  largestOf,
  lengthOf,
  namedPlayers,
  portOf,
  readJson,
  toldCounts,
} from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/**
 * Definition of the public server list of Luanti (formerly Minetest). Source: `protocols/minetest.js` of the npm
 * package gamedig 5.3.3.
 */
export const minetest = listDirectory(
  { name: 'minetest', protocols: ['minetest'], origin: 'https://servers.minetest.net' },
  {
    path: '/list',
    *entries(body) {
      for (const entry of arrayOf(field(readJson(body), 'list'))) {
        const port = portOf(field(entry, 'port'));
        // Stores each server under two hosts, because users can specify either: `address` is the announced host name,
        // and `ip` is the IP address that sent the announcement.
        for (const host of [text(entry, 'address'), text(entry, 'ip')]) {
          if (host) yield [listKey(host, port), entry];
        }
      }
    },
    read: entry => ({
      name: text(entry, 'name'),
      password: truth(field(entry, 'password')),
      ...toldCounts(
        largestOf(countOf(entry, 'clients'), lengthOf(entry, 'clients_list')),
        countOf(entry, 'clients_max'),
      ),
      version: text(entry, 'version'),
      playerList: namedPlayers(list(entry, 'clients_list')),
    }),
  },
);
