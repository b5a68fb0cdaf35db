import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withTwoReaders } from './both-parsers.ts';
import { OTHERS } from './request-shapes.ts';

const { plainRequests, bothAnswers } = withTwoReaders();

describe('the fast HTTP parser hands this request over to node:http', () => {
  for (const [name, request] of OTHERS) {
    test(name, async () => {
      const before = plainRequests();
      const { plain, node } = await bothAnswers(Buffer.from(request, 'latin1'));
      assert.deepEqual(plain, node);
      assert.equal(plainRequests(), before);
    });
  }
});
