import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CatalogGame, queryPorts } from '../../proto/catalog.ts';

describe('queryPorts (ports for queries to a server)', () => {
  const game: CatalogGame = {
    id: 'x',
    name: 'X',
    protocol: 'a2s',
    gamedigId: 'x',
    queryPortOffsets: [],
    needs: [],
    aliases: [],
  };

  it('returns the server port plus each query port offset, and then the server port itself', () => {
    assert.deepEqual(queryPorts({ ...game, queryPortOffsets: [1, 15] }, 27015), [27016, 27030, 27015]);
    assert.deepEqual(queryPorts(game, 27015), [27015]);
  });

  it("includes the catalog's query port only if the server port is the default port of the game", () => {
    const fixed = { ...game, port: 7777, queryPort: 27015 };
    assert.deepEqual(queryPorts(fixed, 7777), [7777, 27015]);
    assert.deepEqual(queryPorts(fixed, 7778), [7778]);
    assert.deepEqual(queryPorts({ ...game, queryPort: 27960 }, 27961), [27961]);
  });

  it("returns only the catalog's query port if this port answers for all servers of a host", () => {
    const forAll = { ...game, port: 9987, queryPort: 10011, queryPortForAll: true, queryPortOffsets: [1] };
    assert.deepEqual(queryPorts(forAll, 9987), [10011]);
    assert.deepEqual(queryPorts(forAll, 9000), [10011]);
    assert.deepEqual(queryPorts({ ...forAll, queryPortForAll: false }, 9000), [9001, 9000]);
  });

  it('returns each port once, and only valid ports', () => {
    assert.deepEqual(queryPorts({ ...game, port: 5000, queryPort: 5000 }, 5000), [5000]);
    assert.deepEqual(
      queryPorts({ ...game, port: 5000, queryPort: 5001, queryPortOffsets: [1] }, 5000),
      [5001, 5000],
    );
    assert.deepEqual(queryPorts({ ...game, queryPortOffsets: [51_800] }, 20_000), [20_000]);
    assert.deepEqual(queryPorts({ ...game, queryPortOffsets: [-100] }, 100), [100]);
    assert.deepEqual(queryPorts({ ...game, queryPortOffsets: [-100] }, 101), [1, 101]);
  });
});
