import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fuzzReaders } from '../../fuzz/fuzz-readers.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { OTHERS, PIPELINED, PLAIN } from './request-shapes.ts';
import { TwoReaders } from './two-readers.ts';

/** Maximum length of a request in this test, in bytes. Longer requests would make the test slow. */
const MOST_BYTES = 100;

describe('the fast HTTP parser and node:http give the same answers, wherever these bytes are split into two packets', () => {
  let readers: TwoReaders;
  before(async () => {
    readers = await TwoReaders.start();
  });
  after(() => readers.close());

  for (const [name, request] of [...PLAIN, ...OTHERS, ...PIPELINED]) {
    const bytes = Buffer.from(request, 'latin1');
    if (bytes.length > MOST_BYTES) continue;
    test(name, async () => {
      const splits = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
      await Promise.all(
        splits.map(async at => {
          const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
          const { plain, node } = await readers.answersOf(pieces, 'with the last bytes');
          assert.deepEqual(plain, node, `split after ${at} bytes`);
          assert.ok(node.length > 0);
        }),
      );
    });
  }
});

test('the fast HTTP parser and node:http give the same answers to random requests that are split at random bytes', async () => {
  const { plain } = await fuzzReaders(randomNumbers(20260), 200);
  assert.ok(plain > 30, `the fast HTTP parser read ${plain} requests`);
});
