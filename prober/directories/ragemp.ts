import { field, list, text } from '../answers/untyped-values.ts';
import { arrayOf, countOf, readJson, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/**
 * The public server list of RAGE Multiplayer. It consists of groups of servers. Both the groups and the servers have
 * ids. A look-up with the id of a server finds this server. A look-up with the id of a group finds the first server of
 * the group. Source: `protocols/ragemp.js` of gamedig 5.3.3.
 */
export const ragemp = listDirectory(
  { name: 'ragemp', protocols: ['ragemp'], origin: 'https://cdn.rage.mp' },
  {
    path: '/master/v2/',
    *entries(body) {
      for (const group of arrayOf(readJson(body))) {
        const servers = list(group, 'servers');
        const [first] = servers;
        const id = text(group, 'id');
        if (id && first !== undefined) yield [id.toLowerCase(), first];
        for (const server of servers) {
          const own = text(server, 'id');
          if (own) yield [own.toLowerCase(), server];
        }
      }
    },
    read: entry => {
      const players = field(entry, 'players');
      return {
        name: text(entry, 'name'),
        ...toldCounts(countOf(players, 'amount'), countOf(players, 'max')),
      };
    },
  },
);
