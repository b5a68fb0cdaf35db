import { Catalog } from '../../core/catalog/catalog.ts';

/** A catalog of a2s games; each also answers to `old` and its id. */
export function catalogOf(now: () => number, ...ids: string[]): Promise<Catalog> {
  const games = ids.map(id => ({ id, name: `Game ${id}`, protocol: 'a2s', aliases: [`old${id}`] }));
  const read = async () => ({ text: JSON.stringify(games), modifiedAt: 0 });
  return Catalog.load({
    source: { name: 'catalog of a test', read },
    now,
    onRefreshFailure: error => {
      throw error;
    },
  });
}
