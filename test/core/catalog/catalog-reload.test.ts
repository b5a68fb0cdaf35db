import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CATALOG_RETRY_MS, CATALOG_TTL_MS } from '../../../core/catalog/catalog.ts';
import { CatalogError, MAX_CATALOG_BYTES } from '../../../proto/catalog.ts';
import { catalogOf, fixture, start } from './catalog-fixture.ts';

describe('an expired catalog cache', () => {
  it('loads the file only once; during the load, get() waits and current() returns the old catalog', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    const first = catalog.current();
    writeFileSync(f.path, catalogOf('b'));
    f.at = start + CATALOG_TTL_MS;
    assert.equal(catalog.current(), first);
    assert.equal(catalog.current(), first);
    assert.equal(f.reads, 2);
    const answers = await Promise.all(Array.from({ length: 50 }, () => catalog.get()));
    assert.equal(f.reads, 2);
    assert.equal(new Set(answers).size, 1);
    assert.equal(catalog.current().find('b')?.id, 'b');
    assert.equal(f.reads, 2);
  });
});

describe('a reload of the catalog file', () => {
  const breakages: [what: string, breakFile: (path: string) => void, message: RegExp][] = [
    ['not JSON', path => writeFileSync(path, '[{"id"'), /: line 1, column 7: ends too early/],
    [
      'not a catalog',
      path => writeFileSync(path, '[{"id":"a"}]'),
      /: entry 0 \(id "a"\): field "name" is missing/,
    ],
    ['missing', path => rmSync(path), /: cannot be read \(ENOENT.+\); GSQ_CATALOG must name/],
    [
      'too large',
      path => writeFileSync(path, ' '.repeat(MAX_CATALOG_BYTES + 1)),
      /: has 4194305 bytes, more than 4194304/,
    ],
  ];
  for (const [what, breakFile, message] of breakages) {
    it(`keeps the last valid catalog and reports the error if the file is ${what}`, async () => {
      const f = fixture(catalogOf('a'));
      const catalog = await f.load();
      const good = catalog.current();
      breakFile(f.path);
      f.at = start + CATALOG_TTL_MS;
      const answers = await Promise.all([catalog.get(), catalog.get()]);
      assert.deepEqual(new Set(answers), new Set([good]));
      assert.equal(catalog.refreshFailures, 1);
      assert.equal(f.failures.length, 1);
      const [error] = f.failures;
      assert.ok(error instanceof CatalogError);
      assert.ok(error.message.startsWith(f.path));
      assert.match(error.message, message);
    });
  }

  it('is tried again one minute after a failure, and then uses the corrected file', async () => {
    const f = fixture(catalogOf('a'));
    const catalog = await f.load();
    writeFileSync(f.path, 'broken');
    f.at = start + CATALOG_TTL_MS;
    await catalog.get();
    writeFileSync(f.path, catalogOf('b'));
    f.at += CATALOG_RETRY_MS - 1;
    assert.equal((await catalog.get()).find('b'), undefined);
    catalog.current();
    assert.equal(f.reads, 2);

    f.at += 1;
    const mended = await catalog.get();
    assert.deepEqual([mended.find('b')?.id, mended.loadedAt, f.reads], ['b', f.at, 3]);
    f.at += CATALOG_TTL_MS - 1;
    assert.equal(await catalog.get(), mended);
    assert.equal(catalog.refreshFailures, 1);
  });
});
