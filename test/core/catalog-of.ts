import { Catalog } from '../../core/catalog/catalog.ts';

/**
 * Returns a catalog of games with these ids. Each game has the alias `old<id>`. Only `palworld` has its own protocol.
 * Only `asa` needs the server list of its publisher.
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
