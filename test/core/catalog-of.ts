import { Catalog } from '../../core/catalog/catalog.ts';

/**
 * A catalog of A2S games; palworld uses its own protocol, and asa is found through a directory. Each game has
 * the alias `old` plus its id.
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
