import { Catalog } from '../../core/catalog/catalog.ts';

/**
 * Returns a catalog of games with the protocol A2S. Two ids differ: palworld has its own protocol, and servers of asa
 * are found through a server directory. Each game has an alias: `old` followed by its id.
 */
export function catalogOf(now: () => number, ...ids: string[]): Promise<Catalog> {
  const protocolOf = (id: string): string => (id === 'palworld' ? id : 'a2s');
  const games = ids.map(id => ({
    id,
    name: `Game ${id}`,
    protocol: protocolOf(id),
    aliases: [`old${id}`],
    ...(id === 'asa' && { needs: ['directory'], directory: 'eos' }),
  }));
  const read = async () => ({ text: JSON.stringify(games), modifiedAt: 0 });
  return Catalog.load({
    source: { name: 'catalog of a test', read },
    now,
    onRefreshFailure: error => {
      throw error;
    },
  });
}
