import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CATALOG_TTL_MS, Catalog } from '../../../core/catalog/catalog.ts';
import { catalogFile } from '../../../core/catalog/catalog-file.ts';
import { catalogOf, directory, fixture, start } from './catalog-fixture.ts';

describe('the catalog cache with a time-to-live of 24 hours', () => {
  it('returns the games, version and times of the loaded catalog', async () => {
    const f = fixture(catalogOf('b', 'a'));
    utimesSync(f.path, 1_700_000_000, 1_700_000_000.5);
    const snapshot = (await f.load()).current();
    assert.deepEqual(
      snapshot.games.map(game => game.id),
      ['b', 'a'],
    );
    assert.match(snapshot.version, /^[0-9a-f]{32}$/);
    assert.equal(snapshot.loadedAt, start);
    assert.equal(snapshot.expiresAt, start + 24 * 60 * 60 * 1000);
    assert.equal(snapshot.modifiedAt, 1_700_000_000_500);
  });

  it('finds a game only by its exact id or alias', async () => {
    const { find } = (await fixture(catalogOf('css')).load()).current();
    assert.equal(find('css')?.name, 'Game css');
    assert.equal(find('oldcss')?.id, 'css');
    for (const word of ['', 'CSS', ' css', '__proto__', 'constructor', 'toString'])
      assert.equal(find(word), undefined);
  });

  it('reads the catalog file again only after 24 hours', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const first = catalog.current();
    writeFileSync(f.path, catalogOf('a', 'b'));
    f.at = start + CATALOG_TTL_MS - 1;
    assert.equal(await catalog.get(), first);
    assert.equal(f.reads, 1);

    f.at = start + CATALOG_TTL_MS;
    const second = await catalog.get();
    assert.equal(f.reads, 2);
    assert.deepEqual(
      [second.find('b')?.id, second.loadedAt, second.expiresAt],
      ['b', f.at, f.at + CATALOG_TTL_MS],
    );
    assert.notEqual(second.version, first.version);
    assert.equal(catalog.current(), second);
  });

  it('keeps the version of the catalog if a reload finds an unchanged file', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const { version } = catalog.current();
    f.at = start + CATALOG_TTL_MS;
    const reloaded = await catalog.get();
    assert.deepEqual([reloaded.version, reloaded.loadedAt], [version, f.at]);
  });

  it('reloads the catalog file if the clock was set back', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    f.at = start - 1;
    assert.equal((await catalog.get()).loadedAt, start - 1);
  });
});

describe('the catalog cache at the start of the core', () => {
  it('rejects an invalid or missing file with the cause and advice', async () => {
    const missing = Catalog.load({
      ...fixture('').options,
      source: catalogFile(join(directory, 'none.json')),
    });
    await assert.rejects(missing, {
      name: 'CatalogError',
      message:
        `${join(directory, 'none.json')}: cannot be read (ENOENT: no such file or directory, open ` +
        `'${join(directory, 'none.json')}'); GSQ_CATALOG must name a readable catalog file, like the catalog.json ` +
        'that comes with gsq',
    });
    const broken = fixture('[\n{"id":"a"},,\n]');
    await assert.rejects(broken.load(), {
      name: 'CatalogError',
      message: `${broken.path}: line 2, column 12: not JSON from ",\\n]" on; mend the text there`,
    });
    const folder = Catalog.load({ ...broken.options, source: catalogFile(directory) });
    await assert.rejects(folder, { name: 'CatalogError', message: /: cannot be read \(EISDIR/ });
    assert.equal(broken.failures.length, 0);
  });
});
