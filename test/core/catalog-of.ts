import { Catalog } from '../../core/catalog/catalog.ts';

/**
 * A catalog of games, of a2s but for palworld, which has its own, and asa, which is looked up in a directory; each also
 * answers to `old` and its id.
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
