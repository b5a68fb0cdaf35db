import { Catalog } from '../../core/catalog/catalog.ts';

/**
 * Returns a catalog of games with these ids. The alias of a game is `old` plus its id. The game palworld has its own
 * protocol, all others use A2S. Only asa needs the server list of its publisher.
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
