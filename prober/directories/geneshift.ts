import { listKey } from './directory.ts';
import { leadingCount, portOf, toldCounts } from './entry-values.ts';
import { listDirectory } from './server-list.ts';

/** Separator between the lines of the Geneshift server list. Each line describes one server. */
const LINE_END = '<br/>';

/**
 * The public server list of Geneshift: text over plain HTTP with one line per server. A body without servers is
 * rejected, because the format of an empty list is unknown. Source: `protocols/geneshift.js` of gamedig 5.3.3.
 */
export const geneshift = listDirectory(
  { name: 'geneshift', protocols: ['geneshift'], origin: 'http://geneshift.net' },
  {
    path: '/game/receiveLobby.php',
    *entries(body) {
      const lines = new TextDecoder().decode(body).split(LINE_END);
      const servers = lines.map(line => line.split('::')).filter(fields => fields.length >= 8);
      if (servers.length === 0) throw new TypeError('not a lobby');
      for (const fields of servers) yield [listKey(fields[2] ?? '', portOf(fields[3])), fields];
    },
    read: entry => {
      const [, , , , name = '', map = '', players, places, ...rest] = entry as string[];
      const [version = ''] = rest.slice(11);
      return { name, map, ...toldCounts(leadingCount(players), leadingCount(places)), version };
    },
  },
);
